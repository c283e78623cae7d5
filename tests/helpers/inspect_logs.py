"""Small logs as inspect_ai writes them."""

import io
import json
import math
import struct
import zipfile
import zlib

from backports import zstd


def sample(name, epoch=1, score="C", *, error=None, **more):
    """A summary; a score may be a value, or a mapping of keys."""
    scores = {} if error else {"match": {"value": score, "answer": "x", "history": []}}
    made = {
        "id": name,
        "epoch": epoch,
        "input": f"What is {name}?",
        "target": "x",
        "scores": scores,
        "model_usage": {"m": {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}},
        "total_time": 0.5,
        "working_time": 0.25,
        "output": {"completion": "x", "choices": []},
        **more,
    }
    return made | ({"error": error} if error else {})


def samples(values, epochs=1):
    """One sample a value and epoch, named q0, q1, ...; None fails, NaN is unscored."""
    return [
        sample(f"q{at}", epoch, value, error="broken" if value is None else None)
        for epoch in range(1, epochs + 1)
        for at, value in enumerate(values)
    ]


def header(made, *, model="m/one", task="facts", mean=None, status="success", **more):
    ids = list(dict.fromkeys(one["id"] for one in made))
    epochs = max(one["epoch"] for one in made)
    results = {
        "total_samples": len(made),
        "completed_samples": len(made),
        "scores": [
            {
                "name": "match",
                "scorer": "match",
                "reducer": "mean",
                "metrics": {"accuracy": {"name": "accuracy", "value": mean_of(made)
                                         if mean is None else mean}},
            }
        ],
    }  # fmt: skip
    return {
        "version": 2,
        "status": status,
        "eval": {
            "task": task,
            "task_version": 1,
            "dataset": {"name": "set", "samples": len(ids), "sample_ids": ids},
            "model": model,
            "config": {"epochs": epochs},
            "packages": {"inspect_ai": "0.3.285"},
            "scorers": [{"name": "match", "options": {}}],
        },
        "plan": {"name": "plan", "steps": [{"solver": "generate", "params": {}}], "config": {}},
        "results": results if status == "success" else None,
        **more,
    }


_WORDS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}


def mean_of(made):
    items = {}
    for one in made:
        for score in one["scores"].values():
            value = score["value"]
            number = float(_WORDS.get(value, value) if isinstance(value, str) else value)
            if not math.isnan(number):
                items.setdefault(one["id"], []).append(number)
    means = [sum(values) / len(values) for values in items.values()]
    return sum(means) / len(means) if means else 0.0


def members(made, *, finished=True, head=None):
    """The members of an archive, by name."""
    found = {}
    top = header(made) if head is None else head
    found["_journal/start.json"] = {k: top[k] for k in ("version", "eval", "plan")}
    for number, start in enumerate(range(0, len(made), 3), 1):
        found[f"_journal/summaries/{number}.json"] = made[start : start + 3]
    for one in made:
        found[f"samples/{one['id']}_epoch_{one['epoch']}.json"] = one
    if finished:
        found |= {"summaries.json": made, "header.json": top}
    return {name: json.dumps(value).encode() for name, value in found.items()}


def write_eval(path, made, *, packing="zstandard", finished=True, **more):
    """An archive with every member packed one way."""
    content = members(made, finished=finished, head=header(made, **more))
    path.write_bytes(archive(content, packing))
    return path


def archive(content, packing="zstandard", *, frames=1):
    """A zip archive; the standard library knows no zstandard, so that one is put together here."""
    if packing != "zstandard":
        out = io.BytesIO()
        kind = zipfile.ZIP_DEFLATED if packing == "deflate" else zipfile.ZIP_STORED
        with zipfile.ZipFile(out, "w", kind) as packed:
            for name, data in content.items():
                packed.writestr(name, data)
        return out.getvalue()
    body, directory = b"", b""
    for name, data in content.items():
        size = max(len(data) // frames, 1)
        parts = [data[at : at + size] for at in range(0, len(data), size)] or [b""]
        packed = b"".join(zstd.compress(part) for part in parts)
        common = struct.pack("<5H3L2H", 20, 0, 93, 0, 33, zlib.crc32(data), len(packed), len(data),
                             len(name), 0)  # fmt: skip
        directory += b"PK\x01\x02" + struct.pack("<H", 20) + common
        directory += struct.pack("<3H2L", 0, 0, 0, 0, len(body)) + name.encode()
        body += b"PK\x03\x04" + common + name.encode() + packed
    count = len(content)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, len(directory), len(body), 0)
    return body + directory + end
