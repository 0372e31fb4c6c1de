# Load balancers (Octavia) and certificates (Barbican), with --balancers.
# shellcheck shell=bash

# Enabled permanently for this state folder after the first use of --balancers.
[ ! -e "$DATA/balancers" ] || BALANCERS=1

barbican_conf() {
  # barbican-api reads only ~/.barbican and /etc/barbican, hence the HOME below.
  mkdir -p "$ETC/home/.barbican"
  [ -s "$DATA/barbican-kek" ] || (umask 077; head -c 32 /dev/urandom | base64 >"$DATA/barbican-kek")
  cat >"$ETC/home/.barbican/barbican.conf" <<EOF
[DEFAULT]
use_stderr = true
host_href = http://$HOST_IP:9311
transport_url = $TRANSPORT_URL
db_auto_create = false
sql_connection = $(db_url barbican)
$(conf_db barbican)
$(conf_middleware barbican)
[queue]
enable = false
[secretstore]
enabled_secretstore_plugins = store_crypto
[crypto]
enabled_crypto_plugins = simple_crypto
[simple_crypto_plugin]
kek = $(cat "$DATA/barbican-kek")
EOF
  wsgi_file barbican \
    "import os" \
    "os.environ['HOME'] = '$ETC/home'" \
    "from barbican.api.app import get_api_wsgi_script" \
    "application = get_api_wsgi_script()"
}
barbican_sync() { HOME=$ETC/home barbican-manage db upgrade; }

octavia_conf() {
  mkdir -p "$ETC/octavia" "$DATA/octavia"
  [ -s "$DATA/octavia/ca.pem" ] || openssl req -x509 -newkey rsa:2048 -days 3650 -passout pass:development \
    -subj "/CN=development octavia CA" -keyout "$DATA/octavia/ca.key" -out "$DATA/octavia/ca.pem" 2>/dev/null
  cat >"$ETC/octavia/octavia.conf" <<EOF
[DEFAULT]
use_stderr = true
host = $COMPUTE_HOST
transport_url = $TRANSPORT_URL
[api_settings]
bind_host = $HOST_IP
bind_port = 9876
api_base_uri = http://$HOST_IP:9876
auth_strategy = keystone
# The ovn provider forwards packets, but only TCP and UDP; amphora offers the complete API, but does not forward any
# traffic in this cloud.
enabled_provider_drivers = amphora:Virtual machines with HAProxy (here with nothing in them),ovn:Translation by OVN
default_provider_driver = ovn
allow_tls_terminated_listeners = true
$(conf_db octavia)
$(conf_middleware octavia)
$(conf_auth service_auth octavia)
[oslo_messaging]
topic = octavia_prov
[health_manager]
heartbeat_key = $SERVICE_PASSWORD
bind_ip = $HOST_IP
controller_ip_port_list = $HOST_IP:5555
[driver_agent]
# The OVN provider always uses the default paths, so its processes see $RUN/octavia as /run/octavia.
enabled_provider_agents = ovn
[ovn]
ovn_nb_connection = $OVN_NB
ovn_sb_connection = $OVN_SB
[neutron]
endpoint_type = publicURL
region_name = $REGION
[controller_worker]
amphora_driver = amphora_noop_driver
compute_driver = compute_noop_driver
network_driver = allowed_address_pairs_driver
image_driver = image_noop_driver
volume_driver = volume_noop_driver
workers = 1
amp_flavor_id = 1
client_ca = $DATA/octavia/ca.pem
amp_image_tag = amphora
amp_boot_network_list = 00000000-0000-0000-0000-000000000000
[certificates]
cert_manager = barbican_cert_manager
cert_generator = local_cert_generator
ca_certificate = $DATA/octavia/ca.pem
ca_private_key = $DATA/octavia/ca.key
ca_private_key_passphrase = development
server_certs_key_passphrase = $(printf '%s' "$SERVICE_PASSWORD" | sha256sum | cut -c1-32)
[haproxy_amphora]
server_ca = $DATA/octavia/ca.pem
client_cert = $DATA/octavia/ca.pem
[networking]
allow_vip_network_id = true
[task_flow]
jobboard_enabled = false
EOF
  sed 's/^network_driver = .*/network_driver = network_noop_driver/' "$ETC/octavia/octavia.conf" >"$ETC/octavia/worker.conf"
  wsgi_file octavia \
    "import sys" \
    "sys.argv = ['octavia-wsgi', '--config-file', '$ETC/octavia/octavia.conf']" \
    "from octavia.api.app import setup_app" \
    "application = setup_app()"
}
octavia_sync() { octavia-db-manage --config-file "$ETC/octavia/octavia.conf" upgrade head; }

balancers_conf() { barbican_conf; octavia_conf; : >"$DATA/balancers"; }
balancers_sync() {
  db_once barbican barbican barbican_sync
  db_once octavia octavia octavia_sync
}
balancers_up() {
  local ns
  mkdir -p /run/octavia "$RUN/octavia"
  # shellcheck disable=SC2016
  ns=(unshare --mount --propagation private sh -c 'd=$1; shift; mount --bind "$d" /run/octavia; exec "$@"' sh "$RUN/octavia")
  uwsgi_up barbican 9311 1 4
  UWSGI_PREFIX=("${ns[@]}"); uwsgi_up octavia 9876 1 4; UWSGI_PREFIX=()
  entry octavia-worker balancers_without_machines:main --config-file "$ETC/octavia/worker.conf"
  launch octavia-driver-agent "${ns[@]}" "${ENTRY[@]}" octavia-driver-agent octavia.cmd.driver_agent:main \
    --config-file "$ETC/octavia/octavia.conf"
}
