"""The first blocks of a model in a GGUF file, with weights in 32 bits: it answers fast, and rounds little."""

from __future__ import annotations

from pathlib import Path

import numpy as np

__all__ = ["write_small"]

BLOCKS = 2


def write_small(source: Path, target: Path) -> None:
    """Write the vocabulary and the first blocks of a model into another file."""
    from gguf import GGUFReader, GGUFValueType, GGUFWriter, dequantize

    reader = GGUFReader(source)
    architecture = reader.fields["general.architecture"].contents()
    writer = GGUFWriter(target, architecture)
    for field in reader.fields.values():
        if field.name.startswith("GGUF.") or field.name == "general.architecture":
            continue
        value = BLOCKS if field.name == f"{architecture}.block_count" else field.contents()
        of_items = field.types[-1] if field.types[0] == GGUFValueType.ARRAY else None
        writer.add_key_value(field.name, value, field.types[0], sub_type=of_items)
    for tensor in reader.tensors:
        block = tensor.name.split(".")[1] if tensor.name.startswith("blk.") else "0"
        if int(block) < BLOCKS:
            weights = dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
            writer.add_tensor(tensor.name, weights.reshape(list(reversed(tensor.shape.tolist()))))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
