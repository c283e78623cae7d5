"""A language model of random weights in a GGUF file of 150 kB, and what it says, by numpy.

The architecture is Llama's with one layer. The vocabulary has the bytes, some letters, and the
parts of YES and NO; the template of a chat is the texts one after another.
"""

import struct
from itertools import accumulate

import numpy as np

WIDTH, HEADS, HIDDEN, CONTEXT = 32, 2, 64, 512
EPSILON, BASE = 1e-5, 10_000.0
SPECIAL = ("<unk>", "<s>", "</s>")
BYTES = tuple(f"<0x{byte:02X}>" for byte in range(256))
PIECES = ("\u2581", *"abcdefghijklmnopqrstuvwxyz.?", *"YNOES", "ES", "is", "\u2581is", "no")
TOKENS = (*SPECIAL, *BYTES, *PIECES)
UNKNOWN, BEGIN, END = 0, 1, 2
_ALIGNED = 32
_UINT32, _FLOAT, _BOOL, _STRING, _ARRAY, _INT32 = 4, 6, 7, 8, 9, 5


def weights(seed=1):
    """The tensors by name, in numpy's order of axes: outputs first."""
    rng = np.random.default_rng(seed)

    def drawn(*shape):
        return rng.normal(0.0, 0.25, shape).astype(np.float32)

    shapes = {
        **{f"attn_{name}": (WIDTH, WIDTH) for name in ("q", "k", "v", "output")},
        "ffn_gate": (HIDDEN, WIDTH),
        "ffn_up": (HIDDEN, WIDTH),
        "ffn_down": (WIDTH, HIDDEN),
    }
    ones = np.ones(WIDTH, np.float32)
    return {
        "token_embd.weight": drawn(len(TOKENS), WIDTH),
        "output.weight": drawn(len(TOKENS), WIDTH),
        "output_norm.weight": ones,
        "blk.0.attn_norm.weight": ones,
        "blk.0.ffn_norm.weight": ones,
        **{f"blk.0.{name}.weight": drawn(*shape) for name, shape in shapes.items()},
    }


def write_model(path, seed=1):
    """Write the model and return its path."""
    tensors = weights(seed)
    kinds = [3 if token in SPECIAL[1:] else 2 if token == SPECIAL[0] else 6 if token in BYTES else 1
             for token in TOKENS]  # fmt: skip
    scores = [float(len(token)) if kind == 1 else 0.0
              for token, kind in zip(TOKENS, kinds, strict=True)]  # fmt: skip
    about = {
        "general.architecture": (_STRING, "llama"),
        "general.name": (_STRING, "tiny"),
        "llama.context_length": (_UINT32, CONTEXT),
        "llama.embedding_length": (_UINT32, WIDTH),
        "llama.block_count": (_UINT32, 1),
        "llama.feed_forward_length": (_UINT32, HIDDEN),
        "llama.attention.head_count": (_UINT32, HEADS),
        "llama.attention.layer_norm_rms_epsilon": (_FLOAT, EPSILON),
        "llama.rope.dimension_count": (_UINT32, WIDTH // HEADS),
        "llama.rope.freq_base": (_FLOAT, BASE),
        "llama.vocab_size": (_UINT32, len(TOKENS)),
        "tokenizer.ggml.model": (_STRING, "llama"),
        "tokenizer.ggml.tokens": (_ARRAY, (_STRING, TOKENS)),
        "tokenizer.ggml.scores": (_ARRAY, (_FLOAT, scores)),
        "tokenizer.ggml.token_type": (_ARRAY, (_INT32, kinds)),
        "tokenizer.ggml.bos_token_id": (_UINT32, BEGIN),
        "tokenizer.ggml.eos_token_id": (_UINT32, END),
        "tokenizer.ggml.unknown_token_id": (_UINT32, UNKNOWN),
        "tokenizer.ggml.add_space_prefix": (_BOOL, False),
        "tokenizer.chat_template": (_STRING, "{% for m in messages %}{{ m.content }}{% endfor %}"),
    }
    parts = [b"GGUF", struct.pack("<IQQ", 3, len(tensors), len(about))]
    parts += [_text(key) + struct.pack("<I", kind) + _value(kind, value)
              for key, (kind, value) in about.items()]  # fmt: skip
    padded = [tensor.tobytes() + bytes(-tensor.nbytes % _ALIGNED) for tensor in tensors.values()]
    offsets = [0, *accumulate(map(len, padded))]
    for (name, tensor), offset in zip(tensors.items(), offsets, strict=False):
        shape = tensor.shape[::-1]  # the fastest axis first
        parts.append(_text(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape))
        parts.append(struct.pack("<IQ", 0, offset))
    head = b"".join(parts)
    path.write_bytes(head + bytes(-len(head) % _ALIGNED) + b"".join(padded))
    return path


def _text(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _value(kind, value):
    if kind == _STRING:
        return _text(value)
    if kind == _ARRAY:
        inner, values = value
        return struct.pack("<IQ", inner, len(values)) + b"".join(_value(inner, v) for v in values)
    return struct.pack({_UINT32: "<I", _FLOAT: "<f", _BOOL: "<?", _INT32: "<i"}[kind], value)


def tokens_of(text):
    """The tokens of a text of single letters of the vocabulary, and of bytes for the others."""
    return [
        number
        for letter in text.replace(" ", "\u2581")
        for number in (
            [TOKENS.index(letter)]
            if letter in PIECES
            else [len(SPECIAL) + byte for byte in letter.encode()]
        )
    ]


def log_probabilities(tokens, seed=1):
    """The logarithm of each token's probability after these tokens: a forward pass."""
    tensors = {name: tensor.astype(float) for name, tensor in weights(seed).items()}
    layer = {name[6:-7]: tensor for name, tensor in tensors.items() if name.startswith("blk.0.")}
    at = tensors["token_embd.weight"][tokens]
    inner = _normed(at)
    query, key, value = (inner @ layer[f"attn_{name}"].T for name in "qkv")
    heads = []
    for head in np.split(np.arange(WIDTH), HEADS):
        matched = _turned(query[:, head]) @ _turned(key[:, head]).T / np.sqrt(len(head))
        matched[np.triu_indices(len(tokens), 1)] = -np.inf
        heads.append(np.exp(_log_softmax(matched)) @ value[:, head])
    at = at + np.concatenate(heads, axis=1) @ layer["attn_output"].T
    inner = _normed(at)
    gate = inner @ layer["ffn_gate"].T
    hidden = gate / (1.0 + np.exp(-gate)) * (inner @ layer["ffn_up"].T)
    at = at + hidden @ layer["ffn_down"].T
    return _log_softmax(_normed(at) @ tensors["output.weight"].T)


def _normed(rows):
    return rows / np.sqrt((rows**2).mean(axis=1, keepdims=True) + EPSILON)


def _turned(rows):
    """Rotary positions: each pair of numbers turned by the place times its speed."""
    size = rows.shape[1]
    angles = np.arange(len(rows))[:, None] * BASE ** (-np.arange(0, size, 2) / size)
    pairs = (rows[:, 0::2] + 1j * rows[:, 1::2]) * np.exp(1j * angles)
    return np.stack([pairs.real, pairs.imag], axis=2).reshape(rows.shape)


def _log_softmax(rows):
    rows = rows - rows.max(axis=-1, keepdims=True)
    return rows - np.log(np.exp(rows).sum(axis=-1, keepdims=True))
