"""Neutron VPN connections without real tunnels.

VPNaaS in Zed runs strongSwan in the router's namespace on the host of its L3 agent; OVN routers have neither. This driver
uses the rest of the service, and reports the status in place of an agent, one second after each change: a connection
is ACTIVE if this cloud has a mirrored connection with the same key and algorithms, otherwise DOWN.
"""
import functools

import eventlet
from neutron_lib import constants
from neutron_lib import context as contexts
from neutron_lib.db import api as db_api
from neutron_vpnaas.db.vpn import vpn_models
from neutron_vpnaas.services.vpn.service_drivers import base_ipsec
from neutron_vpnaas.services.vpn.service_drivers import ipsec_validator
from oslo_log import log

LOG = log.getLogger(__name__)
SECONDS = 1
KINDS = {"vpnservice": "vpnservices", "ipsec_site_connection": "ipsec_site_connections", "ikepolicy": "ikepolicies",
         "ipsecpolicy": "ipsecpolicies", "endpoint_group": "endpoint_groups"}


def end_what_it_begins(plugin):
    """Makes a plugin class's calls end the transactions that they begin.

    VPNaaS 21 reads outside Neutron's transactions. With SQLAlchemy 1.4, each such read begins a transaction that holds a
    database connection until garbage collection; after a few dozen within seconds, Neutron responds with 500 to all callers.
    """
    for one, many in KINDS.items():
        for name in (f"create_{one}", f"update_{one}", f"delete_{one}", f"get_{one}", f"get_{many}"):
            setattr(plugin, name, _ending(getattr(plugin, name)))


def _ending(method):
    @functools.wraps(method)
    def wrapper(self, context, *args, **kwargs):
        was_open = _is_open(context)
        try:
            return method(self, context, *args, **kwargs)
        finally:
            if not was_open and _is_open(context):
                context.session.close()
    return wrapper


def _is_open(context):
    # detects Neutron's own transaction without `context.session`, which would create a session
    if hasattr(super(contexts.Context, context), "session"):
        return True
    return context._session is not None and context._session.in_transaction()


class _Agents:
    """Replaces the notifications to agents."""

    def __init__(self, driver):
        self.driver = driver

    def vpnservice_updated(self, context, router_id, **more):
        eventlet.spawn_after(SECONDS, self.driver.report)


class Driver(base_ipsec.BaseIPsecVPNDriver):

    def __init__(self, plugin):
        super().__init__(plugin, ipsec_validator.IpsecVpnValidator(self))
        end_what_it_begins(type(plugin))

    def create_rpc_conn(self):
        self.agent_rpc = _Agents(self)

    def delete_ipsec_site_connection(self, context, connection):
        # the service may already be deleted
        self.agent_rpc.vpnservice_updated(context, None)

    def report(self):
        """Reports the status of all connections, as agents would."""
        context = contexts.get_admin_context()
        try:
            with db_api.CONTEXT_READER.using(context):
                told = self._told(context)
            self.service_plugin.update_status_by_agent(context, told)
        except Exception:
            LOG.exception("no status is reported")

    def _told(self, context):
        cidrs = self.service_plugin._build_local_subnet_cidr_map(context)
        services = context.session.query(vpn_models.VPNService).all()
        mades = [self.make_vpnservice_dict(service, cidrs) for service in services]
        ends = {c["id"]: _end(made, c) for made in mades for c in made["ipsec_site_connections"]}
        return [{
            "id": made["id"],
            "status": constants.ACTIVE,
            "updated_pending_status": True,
            "ipsec_site_connections": {c["id"]: {
                "status": constants.ACTIVE if _mirror(ends[c["id"]]) in ends.values() else constants.DOWN,
                "updated_pending_status": True,
            } for c in made["ipsec_site_connections"]},
        } for made in mades if made["ipsec_site_connections"]]


def _end(service, connection):
    """Returns the local side, the remote side and the common settings of a tunnel end, or None if it is disabled."""
    if not (service["admin_state_up"] and connection["admin_state_up"]):
        return None
    ike, ipsec = connection["ikepolicy"], connection["ipsecpolicy"]
    names = ("encryption_algorithm", "auth_algorithm", "pfs")
    agreed = (connection["psk"], ike["ike_version"], *(ike[n] for n in names), *(ipsec[n] for n in names))
    here = (connection["external_ip"], connection["local_id"] or connection["external_ip"],
            tuple(sorted(connection["local_cidrs"])))
    there = (connection["peer_address"], connection["peer_id"], tuple(sorted(connection["peer_cidrs"])))
    return here, there, agreed


def _mirror(end):
    return end and (end[1], end[0], end[2])
