"""The fire models that come with firegui, as a project keeps them. No torch is needed to choose one."""

from __future__ import annotations

from firegui.assets import resource
from firegui.domain.project import FireModel
from firegui.domain.weights import NetworkWeights
from firegui.fire.card import scalar_card
from firegui.io.project.weights_file import read_weights

NETWORK_FILE = "fire/network.safetensors"


def scalar_model() -> FireModel:
    """Return the shipped scalar model (:func:`firegui.fire.card.scalar_card`)."""
    card = scalar_card()
    return FireModel("scalar", card.label, card.parameters.as_mapping())


def network_weights() -> NetworkWeights:
    """Return the shipped network's weights."""
    return read_weights(resource(NETWORK_FILE))
