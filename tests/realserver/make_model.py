"""Makes the model of the real-server checks: which byte follows which, in the shape of a llama model.

usage: make_model.py OUT.gguf      (needs the packages gguf and numpy)

All weights of the one block are zero, so the embedding of the last token alone, a one-hot vector,
reaches the output head, which holds the logarithm of a table of probabilities that is written down
below. Greedy, the model answers "Hi."; made to call something, it calls `bash` with "ls".
"""

import sys
from pathlib import Path

import gguf
import numpy as np

SIZE = 288  # of the vocabulary and of the embedding alike
HEADS = 4
FEED_FORWARD = 32
CONTEXT = 32768

IM_START, IM_END, END_OF_TEXT, CALL, CALL_END, TWO_SPACES = range(256, 262)

CALL_CHANCE = 0.3
"""How likely a sampled answer begins with a tool call."""

# What may follow what, and how likely. Bytes are written as text, special tokens by name.
FOLLOWS: dict[str | int, dict[str | int, float]] = {
    "\n": {"H": 1 - CALL_CHANCE, CALL: CALL_CHANCE, "{": 0.01, CALL_END: 1e-4},
    # The words of an answer.
    "H": {"i": 1},
    "i": {".": 0.6, " ": 0.4},
    " ": {"t": 0.5, "w": 0.4, '"': 0.05, "{": 0.02},
    "t": {"o": 1},
    "o": {"y": 0.5, ".": 0.3, " ": 0.2},
    "w": {"a": 1},
    "a": {"y": 0.6, "k": 0.4},
    "y": {".": 0.6, " ": 0.4},
    "k": {" ": 0.5, ".": 0.5},
    # How it ends, or turns into a call.
    ".": {IM_END: 0.8, " ": 0.1, CALL: 0.15},
    CALL: {"\n": 1},
    CALL_END: {IM_END: 0.6, "\n": 0.4},
    # The JSON of a call; names and values begin with letters of the four tools' names.
    "{": {'"': 1},
    ":": {" ": 1},
    ",": {'"': 0.8, " ": 0.2},
    "[": {"{": 0.7, "]": 0.3},
    "]": {"}": 1},
    '"': {"l": 0.35, "b": 0.3, "r": 0.15, "w": 0.1, "e": 0.05, "}": 0.03, ",": 0.005, ":": 0.01, " ": 0.005},
    "l": {"s": 1},
    "s": {'"': 0.9, " ": 0.1},
    "}": {"}": 0.4, CALL_END: 0.3, "\n": 0.2, IM_END: 0.1},
}


def printable_bytes() -> list[str]:
    """Returns the character that stands for each byte in byte-level vocabularies."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return [chr(byte if byte in plain else next(others)) for byte in range(256)]


def probabilities() -> np.ndarray:
    """Returns the table: row the last token, column the next one."""
    table = np.full((SIZE, SIZE), 1e-7)
    number = lambda token: ord(token) if isinstance(token, str) else token
    for before, after in FOLLOWS.items():
        for token, weight in after.items():
            table[number(before), number(token)] += weight
    for digit in b"0123456789":
        for token, weight in {",": 0.4, "}": 0.4, "1": 0.2}.items():
            table[digit, ord(token)] += weight
    for letter in range(ord("a"), ord("z") + 1):
        table[letter, ord('"')] += 0.02
        table[letter, ord(" ")] += 0.01
    table[:, IM_END] += 1e-4  # no state is left never
    return table / table.sum(axis=1, keepdims=True)


def main() -> None:
    out = sys.argv[1]
    template = Path(__file__).with_name("chat-template.jinja").read_text()
    kind = gguf.TokenType
    names = ["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<tool_call>", "</tool_call>"]
    space = printable_bytes()[ord(" ")]
    tokens = [*printable_bytes(), *names, space * 2]
    kinds = [kind.NORMAL] * 256 + [kind.CONTROL] * 3 + [kind.USER_DEFINED] * 2 + [kind.NORMAL]
    unused = SIZE - len(tokens)
    tokens += [f"<unused{i}>" for i in range(unused)]
    kinds += [kind.UNUSED] * unused

    writer = gguf.GGUFWriter(out, "llama")
    writer.add_name("bytebigram")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(SIZE)
    writer.add_block_count(1)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(1)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_dimension_count(SIZE // HEADS)
    writer.add_vocab_size(SIZE)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges([f"{space} {space}"])  # the loader insists on a list of merges
    writer.add_bos_token_id(IM_START)
    writer.add_eos_token_id(IM_END)
    writer.add_pad_token_id(END_OF_TEXT)
    writer.add_add_bos_token(False)
    writer.add_chat_template(template)

    zeros = lambda *shape: np.zeros(shape, np.float32)
    ones = lambda *shape: np.ones(shape, np.float32)
    # The norm turns a one-hot vector into sqrt(SIZE) times that vector.
    head = (np.log(probabilities()).T / np.sqrt(SIZE)).astype(np.float32)
    tensors = {
        "token_embd.weight": np.eye(SIZE, dtype=np.float32),
        "output_norm.weight": ones(SIZE),
        "output.weight": head,
        "blk.0.attn_norm.weight": ones(SIZE),
        "blk.0.attn_q.weight": zeros(SIZE, SIZE),
        "blk.0.attn_k.weight": zeros(SIZE // HEADS, SIZE),
        "blk.0.attn_v.weight": zeros(SIZE // HEADS, SIZE),
        "blk.0.attn_output.weight": zeros(SIZE, SIZE),
        "blk.0.ffn_norm.weight": ones(SIZE),
        "blk.0.ffn_gate.weight": zeros(FEED_FORWARD, SIZE),
        "blk.0.ffn_up.weight": zeros(FEED_FORWARD, SIZE),
        "blk.0.ffn_down.weight": zeros(SIZE, FEED_FORWARD),
    }
    for name, tensor in tensors.items():
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
