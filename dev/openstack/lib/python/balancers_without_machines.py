"""octavia-worker whose amphorae are nothing, but whose ports are real.

The API makes the port of an amphora balancer in Neutron; with the network driver that does nothing
in the worker nobody would delete it again.
"""
from octavia.network.drivers.neutron import allowed_address_pairs
from octavia.network.drivers.noop_driver import driver as noop


def _deallocate_vip(self, vip):
    allowed_address_pairs.AllowedAddressPairsDriver().deallocate_vip(vip)


noop.NoopNetworkDriver.deallocate_vip = _deallocate_vip


def main():
    from octavia.cmd import octavia_worker
    return octavia_worker.main()
