# VPN connections (Neutron's VPNaaS), with --vpn.
# shellcheck shell=bash

# Enabled permanently for this state folder after the first use of --vpn.
[ ! -e "$DATA/vpn" ] || VPN=1

# The VPNaaS driver requires an L3 agent, which OVN routers do not have; lib/python/vpn_without_agents.py replaces both.
vpn_conf() {
  sed -i 's/^service_plugins = .*/&,vpnaas/' "$ETC/neutron/neutron.conf"
  cat >>"$ETC/neutron/neutron.conf" <<EOC
[service_providers]
service_provider = VPN:development:vpn_without_agents.Driver:default
EOC
  : >"$DATA/vpn"
}
vpn_sync() { neutron-db-manage "${NEUTRON_FILES[@]}" --subproject neutron-vpnaas upgrade heads; }
