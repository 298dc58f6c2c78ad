"""The fire models that come with firegui, as a project keeps them. No torch is needed to choose one."""

from __future__ import annotations

from firegui.assets import resource
from firegui.domain.project import FireModel
from firegui.domain.weights import NetworkWeights
from firegui.errors import FireguiError, InputError, Problem
from firegui.fire.card import scalar_card
from firegui.io.weights_file import read_weights

NETWORK_FILE = "fire/network.safetensors"


def scalar_model() -> FireModel:
    """The shipped scalar model (:func:`firegui.fire.card.scalar_card`)."""
    card = scalar_card()
    return FireModel("scalar", card.label, card.parameters.as_mapping())


def has_network() -> bool:
    """Whether a trained network is shipped."""
    try:
        resource(NETWORK_FILE)
    except FireguiError:
        return False
    return True


def network_weights() -> NetworkWeights:
    """The shipped network's weights. Raises :class:`~firegui.errors.InputError` when there are none."""
    if not has_network():
        remedy = "use the model scalar, or weights of your own"
        raise InputError([Problem("fire model", "this firegui comes without a trained network", remedy)])
    return read_weights(resource(NETWORK_FILE))
