# VPN connections (Neutron's VPNaaS), with --vpn.
# shellcheck shell=bash

# Once they were asked for they belong to this state folder.
[ ! -e "$DATA/vpn" ] || VPN=1

# Routers of OVN are in no L3 agent, which the driver of that project wants: lib/python/vpn_without_agents.py stands in for both.
vpn_conf() {
  sed -i 's/^service_plugins = .*/&,vpnaas/' "$ETC/neutron/neutron.conf"
  cat >>"$ETC/neutron/neutron.conf" <<EOC
[service_providers]
service_provider = VPN:development:vpn_without_agents.Driver:default
EOC
  : >"$DATA/vpn"
}
vpn_sync() { neutron-db-manage "${NEUTRON_FILES[@]}" --subproject neutron-vpnaas upgrade heads; }
