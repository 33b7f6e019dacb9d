"""Traced functions have the shapes and types of numpy's."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reportgen

FORMS: list[tuple[str, Callable[..., Any]]] = [
    ("sum", lambda x: x.sum()),
    ("sum axis", lambda x: np.sum(x, axis=(0, -1), keepdims=True)),
    ("mean", lambda x: x.mean(axis=1)),
    ("std", lambda x: x.std(axis=0)),
    ("var", lambda x: np.var(x)),
    ("argmax", lambda x: x.argmax(axis=-1)),
    ("ptp", lambda x: np.ptp(x, axis=0)),
    ("any", lambda x: np.any(x > 0, axis=1)),
    ("cumsum", lambda x: np.cumsum(x)),
    ("sort", lambda x: np.sort(x, axis=0)),
    ("argsort", lambda x: np.argsort(x)),
    ("diff", lambda x: np.diff(x, n=2, axis=1)),
    ("norm", lambda x: np.linalg.norm(x, axis=1)),
    ("clip", lambda x: np.clip(x, 0, 1)),
    ("reshape", lambda x: x.reshape(2, -1)),
    ("reshape tuple", lambda x: np.reshape(x, (-1, 3))),
    ("ravel", lambda x: x.ravel()),
    ("flatten", lambda x: x.flatten()),
    ("transpose", lambda x: x.T),
    ("transpose axes", lambda x: np.transpose(x, (2, 0, 1))),
    ("mT", lambda x: x.mT),
    ("swapaxes", lambda x: x.swapaxes(0, 2)),
    ("moveaxis", lambda x: np.moveaxis(x, 0, -1)),
    ("moveaxis two", lambda x: np.moveaxis(x, [0, 1], [2, 0])),
    ("expand", lambda x: np.expand_dims(x, (0, -1))),
    ("squeeze", lambda x: np.squeeze(x[:, :1], 1)),
    ("broadcast", lambda x: np.broadcast_to(x, (2, *x.shape))),
    ("pad", lambda x: np.pad(x, ((1, 0), (2, 2), (0, 0)))),
    ("pad number", lambda x: np.pad(x, 1)),
    ("tile", lambda x: np.tile(x, (2, 1, 1, 3))),
    ("repeat", lambda x: np.repeat(x, 3, axis=1)),
    ("repeat all", lambda x: x.repeat(2)),
    ("roll", lambda x: np.roll(x, 1)),
    ("tril", lambda x: np.tril(x)),
    ("diagonal", lambda x: np.diagonal(x)),
    ("diag", lambda x: np.diag(x[0, 0])),
    ("trace", lambda x: np.trace(x)),
    ("concatenate", lambda x: np.concatenate([x, x], axis=-1)),
    ("concatenate all", lambda x: np.concatenate([x, x], axis=None)),
    ("stack", lambda x: np.stack([x, x], axis=-1)),
    ("vstack", lambda x: np.vstack([x[0, 0], x[0, 1]])),
    ("hstack", lambda x: np.hstack([x, x])),
    ("split", lambda x: np.split(x, [1, 3], axis=1)[1]),
    ("array_split", lambda x: np.array_split(x, 3, axis=1)[0]),
    ("where", lambda x: np.where(x > 0, x, 0)),
    ("take", lambda x: np.take(x, [0, 1, 1], axis=1)),
    ("take flat", lambda x: x.take(5)),
    ("zeros_like", lambda x: np.zeros_like(x)),
    ("full_like", lambda x: np.full_like(x, 2)),
    ("rfft", lambda x: np.fft.rfft(x, axis=1)),
    ("irfft", lambda x: np.fft.irfft(np.fft.rfft(x, axis=1), axis=1)),
    ("fft n", lambda x: np.fft.fft(x, n=16)),
    ("fft2", lambda x: np.fft.fft2(x)),
    ("rfftn", lambda x: np.fft.rfftn(x)),
    ("irfftn", lambda x: np.fft.irfftn(np.fft.rfftn(x))),
    ("fftshift", lambda x: np.fft.fftshift(x)),
    ("real", lambda x: np.fft.fft(x).real),
    ("abs", lambda x: abs(np.fft.fft(x))),
    ("astype", lambda x: x.astype("float16")),
    ("promotion", lambda x: x + np.float64(1)),
    ("integer", lambda x: x.astype("int32") // 2),
    ("comparison", lambda x: (x > 0) & (x < 1)),
    ("dot", lambda x: np.dot(x, x[0].T)),
    ("inner", lambda x: np.inner(x, x)),
    ("outer", lambda x: np.outer(x[0], x[1])),
    ("ufunc outer", lambda x: np.add.outer(x[0, 0], x[0, 1])),
    ("tensordot", lambda x: np.tensordot(x, x, axes=([1, 2], [1, 2]))),
    ("vdot", lambda x: np.vdot(x, x)),
    ("matvec", lambda x: x @ x[0, 0]),
    ("kron", lambda x: np.kron(x[0], x[1])),
    ("einsum", lambda x: np.einsum("ijk,ilk->ijl", x, x)),
    ("einsum diagonal", lambda x: np.einsum("...k->...", x)),
    ("solve", lambda x: np.linalg.solve(x[:, :3, :3] + np.eye(3) * 9, x[:, :3])),
    ("inv", lambda x: np.linalg.inv(x[:, :3, :3] + np.eye(3) * 9)),
    ("det", lambda x: np.linalg.det(x[:, :3, :3])),
    ("qr", lambda x: np.linalg.qr(x)[1]),
    ("svd", lambda x: np.linalg.svd(x, full_matrices=False)[2]),
    ("svd values", lambda x: np.linalg.svd(x, compute_uv=False)),
    ("convolve", lambda x: np.convolve(x[0, 0], x[0, 1], "same")),
    ("interp", lambda x: np.interp(x, np.arange(4.0), np.arange(4.0))),
    ("round", lambda x: x.round(1)),
    ("maximum", lambda x: np.maximum.reduce(x, axis=1)),
    ("power", lambda x: x**2),
    ("index int", lambda x: x[1]),
    ("index slice", lambda x: x[..., ::2]),
    ("index negative", lambda x: x[:, ::-1, -1]),
    ("index new", lambda x: x[:, None, ..., None]),
    ("index list", lambda x: x[:, [0, 2, 2]]),
    ("index lists apart", lambda x: x[[0, 1], :, [1, 2]]),
    ("index list and int", lambda x: x[0, :, [1, 2]]),
    ("index array", lambda x: x[np.array([[0, 1], [1, 0]])]),
    ("index list and slice", lambda x: x[[0], 1:3]),
    ("in place", lambda x: _in_place(x)),
    ("set", lambda x: _set(x)),
]


def _in_place(x: Any) -> Any:
    y = x + 1
    y *= 2
    return y


def _set(x: Any) -> Any:
    y = x + 0
    y[:, 1] = x[:, 0]
    y[y > 0] = 1
    return y


@pytest.mark.parametrize(("name", "form"), FORMS, ids=[name for name, _ in FORMS])
def test_shape_and_type_are_those_of_numpy(name: str, form: Callable[..., Any]) -> None:
    data = np.random.default_rng(3).random((2, 4, 3))
    wanted = form(data)
    with reportgen.count_flops() as counter:
        found = form(counter.array((2, 4, 3), "float64"))
    assert found.shape == np.shape(wanted)
    assert found.dtype == np.asarray(wanted).dtype
    assert counter.coverage() == 1.0, counter.count.uncounted


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.data())
def test_slices_are_those_of_numpy(shape: list[int], data: st.DataObject) -> None:
    parts = st.one_of(st.slices(4), st.none(), st.just(Ellipsis), st.integers(-1, 0))
    key = tuple(data.draw(st.lists(parts, max_size=3)))
    real = np.zeros(shape)
    with reportgen.count_flops() as counter:
        x = counter.array(tuple(shape), "float64")
        try:
            wanted = real[key].shape
        except IndexError:
            with pytest.raises(IndexError):
                x[key]
        else:
            assert x[key].shape == wanted
