# MariaDB, RabbitMQ, memcached, Open vSwitch + OVN, libvirt, Ceph: all private
# to $STATE, all on loopback or Unix sockets.
# shellcheck shell=bash

MYSQL_SOCK=$RUN/mysql.sock
RABBIT_PORT=${OPENSTACK_RABBIT_PORT:-5673}
EPMD_PORT=${OPENSTACK_EPMD_PORT:-4370}
MEMCACHE_PORT=${OPENSTACK_MEMCACHE_PORT:-11212}
TRANSPORT_URL=rabbit://openstack:openstack@$HOST_IP:$RABBIT_PORT/
# URL of the same bus for clients outside OpenStack; %2F is the virtual host "/".
NOTIFICATIONS_URL=amqp://openstack:openstack@$HOST_IP:$RABBIT_PORT/%2F
OVS_DB=unix:$RUN/ovs/db.sock
OVN_NB=unix:$RUN/ovn/ovnnb_db.sock
OVN_SB=unix:$RUN/ovn/ovnsb_db.sock
LIBVIRT_URI="qemu:///system?socket=$RUN/libvirt/libvirt-sock"
CEPH_CONF=$ETC/ceph.conf
export OVS_RUNDIR=$RUN/ovs OVS_LOGDIR=$LOG OVS_DBDIR=$DATA/ovs OVS_SYSCONFDIR=$ETC/ovs
export OVN_RUNDIR=$RUN/ovn OVN_LOGDIR=$LOG OVN_DBDIR=$DATA/ovn
export CEPH_CONF

sql()   { mariadb --no-defaults -S "$MYSQL_SOCK" -uroot -N -B "$@"; }
vsctl() { ovs-vsctl --db="$OVS_DB" --timeout=20 "$@"; }
nbctl() { ovn-nbctl --db="$OVN_NB" --timeout=20 "$@"; }
ceph_() { ceph --conf "$CEPH_CONF" --connect-timeout 20 "$@"; }

mariadb_up() {
  if [ ! -d "$DATA/mysql/mysql" ]; then
    mkdir -p "$DATA/mysql"
    mariadb-install-db --no-defaults --datadir="$DATA/mysql" --user=root \
      --auth-root-authentication-method=normal --skip-test-db >"$LOG/mariadb-install.log" 2>&1
  fi
  cat >"$ETC/my.cnf" <<EOF
[mysqld]
user = root
datadir = $DATA/mysql
socket = $MYSQL_SOCK
pid-file = $RUN/mysql.pid
skip-networking
character-set-server = utf8mb4
collation-server = utf8mb4_general_ci
max_connections = 600
innodb_buffer_pool_size = 192M
# In a development cloud, losing the last second of data after a power failure is acceptable.
innodb_flush_log_at_trx_commit = 0
innodb_doublewrite = 0
skip-log-bin
performance_schema = OFF
EOF
  launch mariadb mariadbd --defaults-file="$ETC/my.cnf"
}

rabbit_up() {
  need_port_free "$RABBIT_PORT" rabbitmq
  mkdir -p "$ETC/rabbitmq" "$DATA/rabbitmq"
  cat >"$ETC/rabbitmq/rabbitmq.conf" <<EOF
listeners.tcp.local = $HOST_IP:$RABBIT_PORT
default_user = openstack
default_pass = openstack
log.console = true
log.console.level = warning
log.file = false
vm_memory_high_watermark.absolute = 512MB
disk_free_limit.absolute = 100MB
EOF
  [ -s "$DATA/rabbitmq/.erlang.cookie" ] ||
    (umask 077; head -c 15 /dev/urandom | base64 | tr -dc A-Z-a-z0-9 >"$DATA/rabbitmq/.erlang.cookie")
  export ERL_EPMD_PORT=$EPMD_PORT ERL_EPMD_ADDRESS=$HOST_IP
  export RABBITMQ_NODENAME="osdev@localhost" RABBITMQ_CONF_ENV_FILE=/dev/null
  launch epmd epmd -address "$HOST_IP" -port "$EPMD_PORT"
  launch rabbitmq env HOME="$DATA/rabbitmq" \
    RABBITMQ_NODE_PORT="$RABBIT_PORT" \
    RABBITMQ_DIST_PORT=$((RABBIT_PORT + 20000)) \
    RABBITMQ_CONFIG_FILE="$ETC/rabbitmq/rabbitmq.conf" \
    RABBITMQ_ENABLED_PLUGINS_FILE="$ETC/rabbitmq/enabled_plugins" \
    RABBITMQ_MNESIA_BASE="$DATA/rabbitmq/mnesia" RABBITMQ_LOG_BASE="$LOG" RABBITMQ_LOGS=- \
    RABBITMQ_PID_FILE="$RUN/rabbitmq.pid" RABBITMQ_SERVER_ERL_ARGS="+S 2:2 +sbwt none +sbwtdcpu none +sbwtdio none -kernel inet_dist_use_interface {127,0,0,1}" \
    /usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin/rabbitmq-server
}

rabbit_ready() {
  wait_for 120 rabbitmq port_open "$RABBIT_PORT"
  # Services publish notifications to queues that may have no consumer: limit the
  # length of these queues so that they do not exhaust the memory.
  HOME=$DATA/rabbitmq /usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin/rabbitmqctl --quiet set_policy notifications \
    '^(versioned_)?notifications\.' '{"max-length": 20000}' --apply-to queues >>"$LOG/rabbitmq-policy.log" 2>&1 ||
    die "rabbitmq refused a policy (see $LOG/rabbitmq-policy.log)"
}

memcached_up() {
  need_port_free "$MEMCACHE_PORT" memcached
  launch memcached memcached -u root -l "$HOST_IP" -p "$MEMCACHE_PORT" -U 0 -m 64 -t 1
}

ovs_up() { # starts the switch with the userspace datapath (the kernel has no openvswitch module)
  mkdir -p "$RUN/ovs" "$RUN/ovn" "$DATA/ovs" "$DATA/ovn" "$ETC/ovs"
  [ -e "$DATA/ovs/conf.db" ] || ovsdb-tool create "$DATA/ovs/conf.db" /usr/share/openvswitch/vswitch.ovsschema
  [ -e "$DATA/ovn/nb.db" ] || ovsdb-tool create "$DATA/ovn/nb.db" /usr/share/ovn/ovn-nb.ovsschema
  [ -e "$DATA/ovn/sb.db" ] || ovsdb-tool create "$DATA/ovn/sb.db" /usr/share/ovn/ovn-sb.ovsschema
  launch ovsdb ovsdb-server "$DATA/ovs/conf.db" --remote="punix:$RUN/ovs/db.sock" \
    --unixctl="$RUN/ovs/ovsdb.ctl" --pidfile="$RUN/ovs/ovsdb-server.pid" --overwrite-pidfile -vconsole:warn
  launch ovn-nb ovsdb-server "$DATA/ovn/nb.db" --remote="punix:$RUN/ovn/ovnnb_db.sock" \
    --unixctl="$RUN/ovn/ovnnb.ctl" --pidfile="$RUN/ovn/nb.pid" --overwrite-pidfile -vconsole:warn
  launch ovn-sb ovsdb-server "$DATA/ovn/sb.db" --remote="punix:$RUN/ovn/ovnsb_db.sock" \
    --unixctl="$RUN/ovn/ovnsb.ctl" --pidfile="$RUN/ovn/sb.pid" --overwrite-pidfile -vconsole:warn
  wait_for 20 ovsdb vsctl --no-wait show
  wait_for 20 ovn-nb nbctl show
  vsctl --no-wait -- init -- set open_vswitch . \
    external-ids:system-id="$COMPUTE_HOST" external-ids:hostname="$COMPUTE_HOST" \
    external-ids:ovn-remote="$OVN_SB" external-ids:ovn-encap-type=geneve \
    external-ids:ovn-encap-ip="$HOST_IP" external-ids:ovn-bridge=br-int \
    external-ids:ovn-bridge-datapath-type=netdev \
    external-ids:ovn-bridge-mappings=public:br-ex \
    external-ids:ovn-cms-options=enable-chassis-as-gw
  vsctl --no-wait --may-exist add-br br-int -- set bridge br-int datapath_type=netdev fail-mode=secure other-config:disable-in-band=true
  vsctl --no-wait --may-exist add-br br-ex -- set bridge br-ex datapath_type=netdev
  # The switch does not remove its tap devices: record those that do not exist yet
  # so that down can remove them.
  local d
  for d in br-int br-ex ovs-netdev; do [ -e "/sys/class/net/$d" ] || echo "$d" >>"$RUN/ovs/taps"; done
  launch ovs-vswitchd ovs-vswitchd "$OVS_DB" --pidfile="$RUN/ovs/ovs-vswitchd.pid" --overwrite-pidfile \
    --unixctl="$RUN/ovs/vswitchd.ctl" -vconsole:warn
  launch ovn-northd ovn-northd --ovnnb-db="$OVN_NB" --ovnsb-db="$OVN_SB" --n-threads=1 \
    --unixctl="$RUN/ovn/northd.ctl" --pidfile="$RUN/ovn/northd.pid" --overwrite-pidfile -vconsole:warn
  launch ovn-controller ovn-controller "$OVS_DB" \
    --pidfile="$RUN/ovn/ovn-controller.pid" --overwrite-pidfile -vconsole:warn
  # OVN 23.03 publishes a chassis' settings in other_config only; Neutron Zed
  # reads external_ids and would bind no port on a provider network.
  wait_for 30 "OVN chassis" sh -c "ovn-sbctl --db='$OVN_SB' get chassis $COMPUTE_HOST name"
  ovn-sbctl --db="$OVN_SB" --timeout=20 set chassis "$COMPUTE_HOST" \
    external_ids:ovn-bridge-mappings=public:br-ex external_ids:datapath-type=netdev \
    external_ids:iface-types=geneve,internal,patch,tap external_ids:ovn-cms-options=enable-chassis-as-gw
  wait_for 20 "bridge br-ex" test -e /sys/class/net/br-ex
  ip addr replace "$EXT_GATEWAY/${EXT_CIDR#*/}" dev br-ex
  ip link set br-ex up
}

libvirt_up() {
  # libvirtd's paths are compiled in, so run it in a mount namespace where they
  # point to the state dir. Its /dev has no kvm: if kvm exists but cannot run
  # guests, libvirt probes QEMU again before every start.
  local d
  for d in "$ETC/libvirt" "$RUN/libvirt" "$DATA/libvirt/lib" "$DATA/libvirt/cache" "$LOG/libvirt" \
    /etc/libvirt /run/libvirt /var/lib/libvirt /var/cache/libvirt /var/log/libvirt; do mkdir -p "$d"; done
  cat >"$ETC/libvirt/libvirtd.conf" <<EOF
auth_unix_rw = "none"
auth_unix_ro = "none"
unix_sock_group = "root"
unix_sock_rw_perms = "0700"
log_outputs = "2:stderr"
EOF
  # libvirtd resolves this compiled-in account even when qemu.conf names another.
  grep -v '^libvirt-qemu:' /etc/passwd >"$ETC/libvirt/passwd"
  echo "libvirt-qemu:x:64055:64055::/var/lib/libvirt:/usr/sbin/nologin" >>"$ETC/libvirt/passwd"
  grep -v '^libvirt-qemu:' /etc/group >"$ETC/libvirt/group"
  echo "libvirt-qemu:x:64055:" >>"$ETC/libvirt/group"
  cat >"$ETC/libvirt/qemu.conf" <<EOF
user = "root"
group = "root"
dynamic_ownership = 0
remember_owner = 0
security_driver = "none"
cgroup_controllers = [ ]
namespaces = [ ]
stdio_handler = "file"
vnc_listen = "$HOST_IP"
EOF
  # shellcheck disable=SC2016
  launch libvirtd unshare --mount --propagation private sh -c '
    set -e
    mount --bind "$1/etc/libvirt" /etc/libvirt
    mount --bind "$1/etc/libvirt/passwd" /etc/passwd
    mount --bind "$1/etc/libvirt/group" /etc/group
    mount --bind "$1/run/libvirt" /run/libvirt
    mount --bind "$1/data/libvirt/lib" /var/lib/libvirt
    mount --bind "$1/data/libvirt/cache" /var/cache/libvirt
    mount --bind "$1/log/libvirt" /var/log/libvirt
    d=$1/run/libvirt-dev
    mkdir -p "$d"
    mount -t tmpfs -o mode=755 osdev "$d"
    mkdir "$d/pts" "$d/shm" "$d/net"
    for n in "null 1 3" "zero 1 5" "full 1 7" "random 1 8" "urandom 1 9" "tty 5 0" "net/tun 10 200"; do
      set -- "$1" $n; mknod -m 666 "$d/$2" c $3 $4
    done
    ln -s pts/ptmx "$d/ptmx"; ln -s /proc/self/fd "$d/fd"
    mount --bind /dev/pts "$d/pts"; mount --bind /dev/shm "$d/shm"
    mount --rbind "$d" /dev
    exec libvirtd -p "$1/run/libvirtd.pid"' sh "$STATE"
}

ceph_conf() {
  [ -s "$DATA/ceph/fsid" ] || { mkdir -p "$DATA/ceph"; cat /proc/sys/kernel/random/uuid >"$DATA/ceph/fsid"; }
  cat >"$CEPH_CONF" <<EOF
[global]
fsid = $(cat "$DATA/ceph/fsid")
mon_host = [v2:$HOST_IP:3300,v1:$HOST_IP:6789]
mon_initial_members = a
public_addr = $HOST_IP
cluster_addr = $HOST_IP
# No cephx, because the cluster has a single user and listens only on loopback.
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
auth_allow_insecure_global_id_reclaim = false
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 16
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_allow_pool_delete = true
mon_warn_on_pool_no_redundancy = false
mon_data_avail_warn = 2
mon_data_avail_crit = 1
mon_max_pg_per_osd = 1000
run_dir = $RUN/ceph
admin_socket = $RUN/ceph/\$name.asok
log_file = $LOG/\$name.log
log_to_stderr = false
mon_cluster_log_file = $LOG/ceph-cluster.log
keyring = $DATA/ceph/keyring
ms_bind_ipv6 = false
[mon]
mon_data = $DATA/ceph/mon
[mgr]
mgr_data = $DATA/ceph/mgr
mgr_initial_modules = iostat
[osd]
osd_data = $DATA/ceph/osd
osd_objectstore = bluestore
bluestore_block_create = true
bluestore_block_size = ${OPENSTACK_CEPH_SIZE:-64424509440}
osd_memory_target = 939524096
bluestore_cache_size = 134217728
osd_op_num_shards = 2
osd_scrub_during_recovery = false
[client]
rbd_cache = true
rbd_default_features = 61
EOF
}

ceph_up() {
  mkdir -p "$RUN/ceph" "$DATA/ceph/mgr"
  ceph_conf
  local fsid; fsid=$(cat "$DATA/ceph/fsid")
  [ -s "$DATA/ceph/keyring" ] || ceph-authtool --create-keyring "$DATA/ceph/keyring" --gen-key -n mon. --cap mon 'allow *' \
    --gen-key -n client.admin --cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *' >/dev/null
  if [ ! -e "$DATA/ceph/mon/kv_backend" ]; then
    monmaptool --create --clobber --fsid "$fsid" --addv a "[v2:$HOST_IP:3300,v1:$HOST_IP:6789]" "$DATA/ceph/monmap" >/dev/null
    ceph-mon --conf "$CEPH_CONF" --mkfs -i a --monmap "$DATA/ceph/monmap" --keyring "$DATA/ceph/keyring"
  fi
  need_port_free 6789 ceph-mon
  launch ceph-mon ceph-mon --conf "$CEPH_CONF" -f -i a
  wait_for 60 ceph-mon ceph_ mon stat
  launch ceph-mgr ceph-mgr --conf "$CEPH_CONF" -f -i x
  if [ ! -e "$DATA/ceph/osd/ready" ]; then
    mkdir -p "$DATA/ceph/osd"
    [ -s "$DATA/ceph/osd-uuid" ] || cat /proc/sys/kernel/random/uuid >"$DATA/ceph/osd-uuid"
    ceph_ osd new "$(cat "$DATA/ceph/osd-uuid")" 0 >/dev/null
    ceph-osd --conf "$CEPH_CONF" --mkfs -i 0 --osd-uuid "$(cat "$DATA/ceph/osd-uuid")" >>"$LOG/ceph-mkfs.log" 2>&1
  fi
  launch ceph-osd ceph-osd --conf "$CEPH_CONF" -f -i 0
  wait_for 60 ceph-osd sh -c "ceph --conf '$CEPH_CONF' osd stat | grep -q '1 up'"
  local p
  if [ ! -e "$DATA/ceph/.pools" ]; then
    ceph_ osd crush add-bucket "$COMPUTE_HOST" host >/dev/null 2>&1 || true
    for p in volumes; do
      ceph_ osd pool create $p 16 16 replicated --size 1 >/dev/null 2>&1
      ceph_ osd pool set $p size 1 --yes-i-really-mean-it >/dev/null 2>&1 || true
      rbd --conf "$CEPH_CONF" pool init $p
    done
    : >"$DATA/ceph/.pools"
  fi
}
