"""ONNX graphs of a few nodes, whose answers are known."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def saved(file, nodes, inputs, outputs, constants=None):
    """Save a graph; inputs and outputs are (name, type, shape)."""
    values = [helper.make_tensor_value_info(*one) for one in inputs]
    results = [helper.make_tensor_value_info(*one) for one in outputs]
    kept = [numpy_helper.from_array(np.asarray(v), n) for n, v in (constants or {}).items()]
    graph = helper.make_graph(nodes, "small", values, results, kept)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, str(file))
    return file


def brightness(file, *, shape=(1, 3, 24, 32), kind=TensorProto.FLOAT, last=False):
    """The mean of the channels: what is bright stands out. `twice` is the same in two channels."""
    axis, laid = (3, (shape[0], *shape[2:], 3)) if last else (1, shape)
    cast = [helper.make_node("Cast", ["image"], ["number"], to=TensorProto.FLOAT)]
    nodes = [
        *cast,
        helper.make_node("ReduceMean", ["number"], ["mean"], axes=[axis], keepdims=0),
        helper.make_node("Unsqueeze", ["mean", "one"], ["mask"]),
        helper.make_node("Neg", ["mask"], ["dark"]),
        helper.make_node("Concat", ["dark", "mask"], ["twice"], axis=1),
        helper.make_node("ReduceMean", ["number"], ["single"], axes=[1, 2, 3], keepdims=0),
    ]
    outputs = [
        ("mask", TensorProto.FLOAT, [None] * 4),
        ("twice", TensorProto.FLOAT, [None] * 4),
        ("single", TensorProto.FLOAT, [None]),
    ]
    return saved(file, nodes, [("image", kind, laid)], outputs, {"one": np.array([1], np.int64)})


def undefined(file):
    """The logarithm of less than nothing."""
    nodes = [
        helper.make_node("Sub", ["image", "much"], ["less"]),
        helper.make_node("Log", ["less"], ["mask"]),
    ]
    given = [("image", TensorProto.FLOAT, (1, 3, 24, 32))]
    wanted = [("mask", TensorProto.FLOAT, [None] * 4)]
    return saved(file, nodes, given, wanted, {"much": np.array(1e6, np.float32)})


def failing(file):
    """A reshape that no image fits."""
    nodes = [helper.make_node("Reshape", ["image", "shape"], ["mask"])]
    given = [("image", TensorProto.FLOAT, (1, 3, None, None))]
    wanted = [("mask", TensorProto.FLOAT, [None] * 2)]
    return saved(file, nodes, given, wanted, {"shape": np.array([7, 11], np.int64)})


def two_inputs(file):
    nodes = [helper.make_node("Add", ["a", "b"], ["mask"])]
    shape = (1, 3, 8, 8)
    given = [("a", TensorProto.FLOAT, shape), ("b", TensorProto.FLOAT, shape)]
    return saved(file, nodes, given, [("mask", TensorProto.FLOAT, shape)])


def one_channel(file):
    nodes = [helper.make_node("Neg", ["image"], ["mask"])]
    shape = (1, 1, 8, 8)
    given = [("image", TensorProto.FLOAT, shape)]
    return saved(file, nodes, given, [("mask", TensorProto.FLOAT, shape)])


def whole_number_input(file):
    nodes = [helper.make_node("Neg", ["image"], ["mask"])]
    shape = (1, 3, 8, 8)
    given = [("image", TensorProto.INT64, shape)]
    return saved(file, nodes, given, [("mask", TensorProto.INT64, shape)])


FOUND = np.array(  # x0, y0, x1, y1 in an input of 32 x 24, and three scores
    [[8, 6, 24, 18], [0, 0, 4, 4], [9, 6, 24, 18], [20, 2, 30, 22]], np.float32
)
SCORES = np.array([[0.1, 0.8, 0.2], [0.6, 0.3, 0.1], [0.2, 0.7, 0.0], [0.5, 0.1, 0.4]], np.float32)


def detector(file, *, boxes=FOUND, scores=SCORES, joined="", batch=True, shape=(1, 3, 24, 32)):
    """A detector that finds the same in every image; `joined` is rows or columns of one table."""
    table = np.concatenate([boxes, scores], axis=1)
    if joined == "columns":
        table = table.T
    known = {"boxes": boxes, "scores": scores if scores.shape[1] > 1 else scores[:, 0]}
    known = {"table": table} if joined else known
    known = {name: value[None] if batch else value for name, value in known.items()}
    nodes = [helper.make_node("ReduceMean", ["image"], ["mean"], keepdims=0)]
    nodes += [helper.make_node("Mul", ["mean", "zero"], ["nothing"])]
    constants = {"zero": np.array(0, np.float32)}
    for name, value in known.items():
        constants[f"the {name}"] = value.astype(np.float32)
        nodes.append(helper.make_node("Add", [f"the {name}", "nothing"], [name]))
    outputs = [(name, TensorProto.FLOAT, list(value.shape)) for name, value in known.items()]
    labels = np.zeros(len(boxes), np.int64)
    nodes.append(helper.make_node("Identity", ["the labels"], ["labels"]))
    outputs.append(("labels", TensorProto.INT64, [len(boxes)]))
    given = [("image", TensorProto.FLOAT, shape)]
    return saved(file, nodes, given, outputs, {**constants, "the labels": labels})
