"""Distributions as an installer leaves them."""

import base64
import hashlib
import importlib


def install(place, version="1.0", *, requires="", name="plantedlib", folder=None):
    """A distribution; its package is a folder of its name, or another one that it shares."""
    info = place / f"{name}-{version}.dist-info"
    package = place / (folder or name)
    files = {
        package / ("__init__.py" if folder is None else f"{name}.py"): "value = 1\n",
        package / "deep" / ("data.txt" if folder is None else f"{name}.txt"): "words\n",
        info / "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}",
    }
    listed = ""
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        hashed = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode()
        listed += f"{path.relative_to(place)},sha256={hashed.rstrip('=')},{len(text)}\n"
    (info / "RECORD").write_text(f"{listed}{info.name}/RECORD,,\n")
    importlib.invalidate_caches()
    return info
