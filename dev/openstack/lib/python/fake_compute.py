"""nova-compute without guests, next to a real one.

This host has no switch, so its ports are bound on the host that has one.
Otherwise, servers with a network interface could not be created here.
"""
import os

import nova.cmd  # noqa: F401  (monkey patching first)
from nova.network import neutron

populate = neutron.API._populate_neutron_extension_values


def _populate(self, *args, **kwargs):
    if kwargs.get("bind_host_id"):
        kwargs["bind_host_id"] = os.environ["FAKE_PORTS_HOST"]
    return populate(self, *args, **kwargs)


neutron.API._populate_neutron_extension_values = _populate


def main():
    from nova.cmd import compute
    return compute.main()
