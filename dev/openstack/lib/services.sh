# Configuration and processes of the OpenStack services.
# shellcheck shell=bash

REGION=RegionOne
NOVNC_PORT=6080
SERIAL_PORT=6083
NOVA_DRIVER=libvirt.LibvirtDriver

db_url() { echo "mysql+pymysql://root@localhost/$1?unix_socket=$MYSQL_SOCK&charset=utf8mb4"; }

# Runs an entry point: entry NAME MODULE:FUNC ARGS...
ENTRY=(env PYTHONPATH="$HERE/lib/python" PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$HERE/lib/entry.py")

conf_db() { # DBNAME
  cat <<EOF
[database]
connection = $(db_url "$1")
max_pool_size = 5
max_overflow = 20
max_retries = -1
connection_recycle_time = 3600
EOF
}
conf_auth() { # SECTION USER: credentials of a service user
  cat <<EOF
[$1]
auth_type = password
auth_url = http://$HOST_IP:5000
username = $2
password = $SERVICE_PASSWORD
user_domain_name = Default
project_name = service
project_domain_name = Default
region_name = $REGION
valid_interfaces = public,internal
EOF
}
conf_middleware() { # USER
  conf_auth keystone_authtoken "$1"
  cat <<EOF
www_authenticate_uri = http://$HOST_IP:5000
memcached_servers = $HOST_IP:$MEMCACHE_PORT
service_token_roles = service
service_token_roles_required = false
[oslo_concurrency]
lock_path = $DATA/lock/$1
[oslo_messaging_rabbit]
rpc_conn_pool_size = 8
heartbeat_in_pthread = false
$(conf_notifications)
[oslo_middleware]
enable_proxy_headers_parsing = true
[healthcheck]
EOF
  mkdir -p "$DATA/lock/$1"
}
conf_notifications() { # announces changes on the bus, topic "notifications"
  cat <<EOF
[oslo_messaging_notifications]
driver = messagingv2
topics = notifications
EOF
}
wsgi_file() { # NAME PYTHON...: writes an application module for uwsgi
  local name=$1; shift
  mkdir -p "$ETC/wsgi"
  printf '%s\n' "$@" >"$ETC/wsgi/$name.py"
}
UWSGI_PREFIX=()
uwsgi_up() { # NAME PORT PROCESSES THREADS
  need_port_free "$2" "$1"
  launch "$1" "${UWSGI_PREFIX[@]}" uwsgi_python3 --http-socket "$HOST_IP:$2" --wsgi-file "$ETC/wsgi/$1.py" \
    --master --processes "$3" --threads "$4" --lazy-apps --need-app --die-on-term --enable-threads \
    --buffer-size 65535 --listen 100 --thunder-lock --disable-logging --log-5xx \
    --add-header "Connection: close" --procname-prefix-spaced "$1"
}
db_once() { # KEY DBNAME CMD...: creates the database and migrates it once
  local key=$1 db=$2; shift 2
  [ -e "$DATA/db/$key" ] && return 0
  sql -e "CREATE DATABASE IF NOT EXISTS \`$db\`"
  [ $# -gt 0 ] && { "$@" >>"$LOG/dbsync-$key.log" 2>&1 || { tail -n 20 "$LOG/dbsync-$key.log" >&2; die "db sync of $key failed (see $LOG/dbsync-$key.log)"; }; }
  mkdir -p "$DATA/db"; : >"$DATA/db/$key"
}

### keystone ###############################################################
keystone_conf() {
  mkdir -p "$ETC/keystone" "$DATA/keystone"
  cat >"$ETC/keystone/keystone.conf" <<EOF
[DEFAULT]
use_stderr = true
public_endpoint = http://$HOST_IP:5000/
transport_url = $TRANSPORT_URL
$(conf_db keystone)
[cache]
enabled = true
backend = dogpile.cache.memcached
memcache_servers = $HOST_IP:$MEMCACHE_PORT
[token]
provider = fernet
# Long enough for hours of tests with a single sign-in.
expiration = 14400
[fernet_tokens]
key_repository = $DATA/keystone/fernet-keys
[credential]
key_repository = $DATA/keystone/credential-keys
$(conf_notifications)
$(conf_federation)
[oslo_middleware]
enable_proxy_headers_parsing = true
EOF
  cat >"$ETC/keystone/hand-over.html" <<'EOF'
<!DOCTYPE html>
<form action="$host" method="post"><input type="hidden" name="token" value="$token"><input type="submit" value="Go on"></form>
<script>document.forms[0].submit()</script>
EOF
  wsgi_file keystone \
    "import os, sys" \
    "sys.path.insert(0, '$HERE/lib/python')" \
    "os.environ['OS_KEYSTONE_CONFIG_FILES'] = '$ETC/keystone/keystone.conf'" \
    "from identity_provider import guard" \
    "from keystone.server.wsgi import initialize_public_application" \
    "application = guard(initialize_public_application())"
}
conf_federation() { # dashboards that may receive tokens: our server at its usual addresses and at its host name in tests
  local to
  cat <<EOF
[mapped]
remote_id_attribute = IDP_ISSUER
[federation]
sso_callback_template = $ETC/keystone/hand-over.html
EOF
  for to in http://127.0.0.1:8800 http://127.0.0.1:8888 http://localhost:8800 http://localhost:8888 http://console.mainstay.test; do
    echo "trusted_dashboard = $to/auth/landing"
  done
}
keystone_manage() { keystone-manage --config-file "$ETC/keystone/keystone.conf" "$@"; }
keystone_sync() {
  mkdir -p "$DATA"/keystone/{fernet-keys,credential-keys}; chmod 700 "$DATA"/keystone/*-keys
  [ -e "$DATA/keystone/fernet-keys/0" ] || keystone_manage fernet_setup --keystone-user root --keystone-group root
  [ -e "$DATA/keystone/credential-keys/0" ] || keystone_manage credential_setup --keystone-user root --keystone-group root
  keystone_manage db_sync
  keystone_manage bootstrap --bootstrap-username admin --bootstrap-password "$ADMIN_PASSWORD" \
    --bootstrap-project-name admin --bootstrap-role-name admin --bootstrap-service-name keystone \
    --bootstrap-region-id $REGION --bootstrap-public-url "http://$HOST_IP:5000/v3" \
    --bootstrap-internal-url "http://$HOST_IP:5000/v3" --bootstrap-admin-url "http://$HOST_IP:5000/v3"
}

### glance #################################################################
glance_conf() {
  mkdir -p "$ETC/glance" "$DATA"/glance/{images,staging,tasks}
  cat >"$ETC/glance/glance-api.conf" <<EOF
[DEFAULT]
use_stderr = true
bind_host = $HOST_IP
bind_port = 9292
workers = 0
transport_url = $TRANSPORT_URL
enabled_backends = file:file
enabled_import_methods = [glance-direct,web-download,copy-image]
show_multiple_locations = false
node_staging_uri = file://$DATA/glance/staging
$(conf_db glance)
$(conf_middleware glance)
[paste_deploy]
flavor = keystone
config_file = /etc/glance/glance-api-paste.ini
[glance_store]
default_backend = file
[file]
filesystem_store_datadir = $DATA/glance/images
[os_glance_staging_store]
filesystem_store_datadir = $DATA/glance/staging
[os_glance_tasks_store]
filesystem_store_datadir = $DATA/glance/tasks
EOF
}
glance_sync() {
  glance-manage --config-file "$ETC/glance/glance-api.conf" db_sync
  glance-manage --config-file "$ETC/glance/glance-api.conf" db_load_metadefs /etc/glance/metadefs
}

### placement ##############################################################
placement_conf() {
  mkdir -p "$ETC/placement"
  cat >"$ETC/placement/placement.conf" <<EOF
[DEFAULT]
use_stderr = true
[api]
auth_strategy = keystone
$(conf_db placement | sed 's/^\[database\]/[placement_database]/')
$(conf_middleware placement)
EOF
  wsgi_file placement \
    "import os" \
    "os.environ['OS_PLACEMENT_CONFIG_DIR'] = '$ETC/placement'" \
    "from placement.wsgi import init_application" \
    "application = init_application()"
}
placement_sync() { placement-manage --config-file "$ETC/placement/placement.conf" db sync; }

### nova ###################################################################
nova_conf() {
  mkdir -p "$ETC/nova" "$DATA/nova/instances"
  cat >"$ETC/nova/nova.conf" <<EOF
[DEFAULT]
use_stderr = true
my_ip = $HOST_IP
host = $COMPUTE_HOST
transport_url = $TRANSPORT_URL
state_path = $DATA/nova
instances_path = $DATA/nova/instances
compute_driver = $NOVA_DRIVER
osapi_compute_listen = $HOST_IP
osapi_compute_workers = 1
metadata_listen = $HOST_IP
metadata_workers = 1
allow_resize_to_same_host = true
shutdown_timeout = 20
vif_plugging_timeout = 120
reserved_host_memory_mb = 512
ram_allocation_ratio = 2.0
cpu_allocation_ratio = 32.0
disk_allocation_ratio = 4.0
report_interval = 10
service_down_time = 120
instance_usage_audit = true
instance_usage_audit_period = hour
resume_guests_state_on_host_boot = true
running_deleted_instance_action = reap
block_device_allocate_retries = 120
block_device_allocate_retries_interval = 2
[notifications]
# Both formats; versioned notifications use the topic "versioned_notifications".
notification_format = both
notify_on_state_change = vm_and_task_state
[api]
auth_strategy = keystone
[wsgi]
api_paste_config = /etc/nova/api-paste.ini
$(conf_db nova_cell1)
[api_database]
connection = $(db_url nova_api)
max_pool_size = 5
max_overflow = 20
$(conf_middleware nova)
[service_user]
send_service_user_token = true
auth_type = password
auth_url = http://$HOST_IP:5000
username = nova
password = $SERVICE_PASSWORD
user_domain_name = Default
project_name = service
project_domain_name = Default
$(conf_auth placement nova)
$(conf_auth neutron nova)
service_metadata_proxy = true
metadata_proxy_shared_secret = $SERVICE_PASSWORD
ovs_bridge = br-int
$(conf_auth cinder nova)
os_region_name = $REGION
catalog_info = volumev3::publicURL
[glance]
api_servers = http://$HOST_IP:9292
[scheduler]
discover_hosts_in_cells_interval = 60
# Only servers that require a host with the fake driver are placed on one.
enable_isolated_aggregate_filtering = true
workers = 1
[conductor]
workers = 1
[filter_scheduler]
enabled_filters = ComputeFilter,ComputeCapabilitiesFilter,ImagePropertiesFilter,ServerGroupAntiAffinityFilter,ServerGroupAffinityFilter,AggregateInstanceExtraSpecsFilter
[libvirt]
virt_type = qemu
connection_uri = $LIBVIRT_URI
cpu_mode = none
images_type = qcow2
disk_cachemodes = network=writeback,file=writeback
inject_partition = -2
num_pcie_ports = 16
rbd_connect_timeout = 5
[os_vif_ovs]
ovsdb_connection = $OVS_DB
[console]
# For console pages served by the web console's development server.
allowed_origins = localhost,$HOST_IP
[vnc]
enabled = true
server_listen = $HOST_IP
server_proxyclient_address = $HOST_IP
novncproxy_host = $HOST_IP
novncproxy_port = $NOVNC_PORT
novncproxy_base_url = http://$HOST_IP:$NOVNC_PORT/vnc_lite.html
[serial_console]
# If enabled, rescued guests have no serial port in Nova Zed, and therefore no console log.
enabled = $SERIAL_CONSOLE
base_url = ws://$HOST_IP:$SERIAL_PORT/
proxyclient_address = $HOST_IP
serialproxy_host = $HOST_IP
serialproxy_port = $SERIAL_PORT
[workarounds]
# No KVM: the guest CPU is emulated, so it is not compared with the host's CPU.
skip_cpu_compare_on_dest = true
skip_hypervisor_version_check_on_lm = true
[privsep_osbrick]
helper_command = privsep-helper --config-file $ETC/nova/nova.conf
[nova_sys_admin]
helper_command = privsep-helper --config-file $ETC/nova/nova.conf
[vif_plug_ovs_privileged]
helper_command = privsep-helper --config-file $ETC/nova/nova.conf
[vif_plug_linux_bridge_privileged]
helper_command = privsep-helper --config-file $ETC/nova/nova.conf
EOF
}
nova_manage() { nova-manage --config-file "$ETC/nova/nova.conf" "$@"; }
nova_sync() {
  sql -e "CREATE DATABASE IF NOT EXISTS nova_cell0; CREATE DATABASE IF NOT EXISTS nova_cell1"
  nova_manage api_db sync
  nova_manage cell_v2 map_cell0 --database_connection "$(db_url nova_cell0)"
  nova_manage db sync
  nova_manage cell_v2 list_cells | grep -q ' cell1 ' || nova_manage cell_v2 create_cell --name cell1
}

### neutron ################################################################
neutron_conf() {
  mkdir -p "$ETC/neutron" "$DATA/neutron" "$ETC/neutron/policy.d"
  cat >"$ETC/neutron/neutron.conf" <<EOF
[DEFAULT]
use_stderr = true
bind_host = $HOST_IP
bind_port = 9696
host = $COMPUTE_HOST
transport_url = $TRANSPORT_URL
state_path = $DATA/neutron
api_paste_config = /etc/neutron/api-paste.ini
core_plugin = ml2
service_plugins = ovn-router,qos,trunk,port_forwarding
api_workers = 1
rpc_workers = 1
rpc_state_report_workers = 0
allow_overlapping_ips = true
global_physnet_mtu = 1500
dns_domain = osdev.local.
notify_nova_on_port_status_changes = true
notify_nova_on_port_data_changes = true
$(conf_db neutron)
$(conf_middleware neutron)
$(conf_auth nova nova)
$(conf_auth placement neutron)
[agent]
root_helper = env
[quotas]
default_quota = -1
[privsep]
helper_command = privsep-helper --config-file $ETC/neutron/neutron.conf
[experimental]
EOF
  cat >"$ETC/neutron/ml2.ini" <<EOF
[ml2]
mechanism_drivers = ovn
type_drivers = local,flat,vlan,geneve
tenant_network_types = geneve
extension_drivers = port_security,qos,dns
overlay_ip_version = 4
[ml2_type_geneve]
vni_ranges = 1:65536
max_header_size = 38
[ml2_type_flat]
flat_networks = *
[ml2_type_vlan]
network_vlan_ranges = public:100:199
[securitygroup]
enable_security_group = true
[ovn]
ovn_nb_connection = $OVN_NB
ovn_sb_connection = $OVN_SB
ovn_l3_scheduler = leastloaded
ovn_metadata_enabled = true
enable_distributed_floating_ip = true
neutron_sync_mode = repair
[ovs]
ovsdb_connection = $OVS_DB
EOF
  cat >"$ETC/neutron/metadata.ini" <<EOF
[DEFAULT]
use_stderr = true
host = $COMPUTE_HOST
state_path = $DATA/neutron
nova_metadata_host = $HOST_IP
nova_metadata_port = 8775
metadata_proxy_shared_secret = $SERVICE_PASSWORD
metadata_workers = 1
transport_url = $TRANSPORT_URL
[agent]
root_helper = env
root_helper_daemon =
[ovs]
ovsdb_connection = $OVS_DB
[ovn]
ovn_nb_connection = $OVN_NB
ovn_sb_connection = $OVN_SB
[privsep]
helper_command = privsep-helper --config-file $ETC/neutron/metadata.ini
EOF
}
NEUTRON_FILES=(--config-file "$ETC/neutron/neutron.conf" --config-file "$ETC/neutron/ml2.ini")
neutron_sync() { neutron-db-manage "${NEUTRON_FILES[@]}" upgrade heads; }

### cinder #################################################################
cinder_conf() {
  mkdir -p "$ETC/cinder" "$DATA"/cinder/{conversion,state,backups}
  cat >"$ETC/cinder/cinder.conf" <<EOF
[DEFAULT]
use_stderr = true
my_ip = $HOST_IP
host = $COMPUTE_HOST
transport_url = $TRANSPORT_URL
state_path = $DATA/cinder/state
image_conversion_dir = $DATA/cinder/conversion
api_paste_config = /etc/cinder/api-paste.ini
resource_query_filters_file = /etc/cinder/resource_filters.json
rootwrap_config = /etc/cinder/rootwrap.conf
osapi_volume_listen = $HOST_IP
osapi_volume_workers = 1
auth_strategy = keystone
enabled_backends = ceph
default_volume_type = ceph
glance_api_servers = http://$HOST_IP:9292
enable_v3_api = true
enable_force_upload = true
backup_driver = cinder.backup.drivers.posix.PosixBackupDriver
backup_posix_path = $DATA/cinder/backups
backup_file_size = 52428800
backup_workers = 1
scheduler_default_filters = CapacityFilter,CapabilitiesFilter
$(conf_db cinder)
$(conf_middleware cinder)
[service_user]
send_service_user_token = true
auth_type = password
auth_url = http://$HOST_IP:5000
username = cinder
password = $SERVICE_PASSWORD
user_domain_name = Default
project_name = service
project_domain_name = Default
$(conf_auth nova cinder)
interface = public
[ceph]
volume_backend_name = ceph
volume_driver = cinder.volume.drivers.rbd.RBDDriver
rbd_pool = volumes
rbd_ceph_conf = $CEPH_CONF
rbd_cluster_name = ceph
rbd_flatten_volume_from_snapshot = false
rados_connect_timeout = 10
report_discard_supported = true
[cinder_sys_admin]
helper_command = privsep-helper --config-file $ETC/cinder/cinder.conf
[privsep_osbrick]
helper_command = privsep-helper --config-file $ETC/cinder/cinder.conf
EOF
}
cinder_sync() { cinder-manage --config-file "$ETC/cinder/cinder.conf" db sync; }

### start ##################################################################
late_up() { # requires a running conductor, which is guaranteed once nova-compute is up
  need_port_free 8775 nova-metadata
  entry nova-metadata nova.cmd.api_metadata:main --config-file "$ETC/nova/nova.conf"
}
entry() { # NAME MODULE:FUNC ARGS...
  launch "$1" "${ENTRY[@]}" "$@"
}
fake_hosts_up() { # starts compute nodes without guests, for migrations and for a thousand servers
  local i conf
  for ((i = 1; i <= FAKE_HOSTS; i++)); do
    conf=$ETC/nova/fake-$i.conf
    printf '[DEFAULT]\nhost = os-fake-%s\ncompute_driver = fake.FakeDriver\nstate_path = %s\n' "$i" "$DATA/nova-fake-$i" >"$conf"
    mkdir -p "$DATA/nova-fake-$i"
    FAKE_PORTS_HOST=$COMPUTE_HOST entry "nova-compute-fake-$i" fake_compute:main "$@" --config-file "$conf"
  done
}
services_up() {
  local n=(--config-file "$ETC/nova/nova.conf") c=(--config-file "$ETC/cinder/cinder.conf")
  need_port_free 9292 glance-api; need_port_free 8774 nova-api; need_port_free 9696 neutron-server; need_port_free 8776 cinder-api
  uwsgi_up placement 8778 1 2
  entry glance-api glance.cmd.api:main --config-file "$ETC/glance/glance-api.conf"
  entry neutron-server neutron.cmd.eventlet.server:main "${NEUTRON_FILES[@]}"
  entry nova-conductor nova.cmd.conductor:main "${n[@]}"
  entry nova-scheduler nova.cmd.scheduler:main "${n[@]}"
  entry nova-api nova.cmd.api_os_compute:main "${n[@]}"
  entry cinder-api announcing_cinder:api "${c[@]}"
  entry cinder-scheduler announcing_cinder:scheduler "${c[@]}"
  entry cinder-volume announcing_cinder:volume "${c[@]}"
  wait_for 180 "placement API" port_open 8778
  entry nova-compute userspace_compute:main "${n[@]}"
  fake_hosts_up "${n[@]}"
  entry cinder-backup announcing_cinder:backup "${c[@]}"
  if [ -z "$FAKE_COMPUTE" ]; then
    entry neutron-ovn-metadata neutron.cmd.eventlet.agents.ovn_metadata:main --config-file "$ETC/neutron/metadata.ini"
    entry nova-novncproxy nova.cmd.novncproxy:main "${n[@]}" --web /usr/share/novnc
    [ "$SERIAL_CONSOLE" = false ] || entry nova-serialproxy nova.cmd.serialproxy:main "${n[@]}"
  fi
}

### seed ###################################################################
write_credentials() {
  local who pw f
  (umask 077; echo clouds: >"$STATE/clouds.yaml")
  for who in admin demo; do
    pw=$who; f=$STATE/openrc-demo
    [ $who = demo ] || { pw=$ADMIN_PASSWORD; f=$STATE/openrc; }
    (umask 077; cat >"$f" <<EOF
export OS_AUTH_URL=http://$HOST_IP:5000/v3
export OS_IDENTITY_API_VERSION=3
export OS_USERNAME=$who
export OS_PASSWORD='$pw'
export OS_PROJECT_NAME=$who
export OS_USER_DOMAIN_NAME=Default
export OS_PROJECT_DOMAIN_NAME=Default
export OS_REGION_NAME=$REGION
export OS_VOLUME_API_VERSION=3
export OS_IMAGE_API_VERSION=2
export OPENSTACK_NOTIFICATIONS_URL='$NOTIFICATIONS_URL'
EOF
    )
    cat >>"$STATE/clouds.yaml" <<EOF
  dev-$who:
    auth:
      auth_url: http://$HOST_IP:5000/v3
      username: $who
      password: '$pw'
      project_name: $who
      user_domain_name: Default
      project_domain_name: Default
    region_name: $REGION
    identity_api_version: 3
EOF
  done
}
seed() {
  SEED_HOST=$HOST_IP SEED_REGION=$REGION SEED_ADMIN_PASSWORD=$ADMIN_PASSWORD \
  SEED_SERVICE_PASSWORD=$SERVICE_PASSWORD SEED_EXT_CIDR=$EXT_CIDR SEED_EXT_GATEWAY=$EXT_GATEWAY \
  SEED_IMAGE=$GUEST SEED_FAKE_HOSTS=$FAKE_HOSTS SEED_BALANCERS=$BALANCERS /usr/bin/python3 "$HERE/lib/seed.py" "$1" || die "seeding $1 failed"
}
