"""What the models of ``structured`` share: ONNX files run by one thread."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

MEAN = np.array([0.485, 0.456, 0.406], np.float32)
"""Of the colours that PaddlePaddle's models are trained on, those of ImageNet ..."""
DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)
"""... and their standard deviation."""


def load_session(path: Path) -> Any:
    """A session of ONNX Runtime. Raises what that does for a file that is no model."""
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
