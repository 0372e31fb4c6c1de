"""octavia-worker with no-op amphorae, but with real ports.

The API creates the port of an amphora load balancer in Neutron. With the no-op network driver, the worker would never
delete it.
"""
from octavia.network.drivers.neutron import allowed_address_pairs
from octavia.network.drivers.noop_driver import driver as noop


def _deallocate_vip(self, vip):
    allowed_address_pairs.AllowedAddressPairsDriver().deallocate_vip(vip)


noop.NoopNetworkDriver.deallocate_vip = _deallocate_vip


def main():
    from octavia.cmd import octavia_worker
    return octavia_worker.main()
