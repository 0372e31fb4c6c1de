# shellcheck shell=bash
PACKAGES=(
  keystone glance-common placement-common nova-common neutron-common cinder-common
  python3-keystone python3-glance python3-placement python3-nova python3-neutron python3-cinder
  python3-openstackclient python3-openstacksdk python3-neutronclient python3-cinderclient
  python3-pymysql python3-memcache python3-ovsdbapp python3-openvswitch
  uwsgi-core uwsgi-plugin-python3 mariadb-server mariadb-client rabbitmq-server memcached
  ovn-central ovn-host openvswitch-switch haproxy iproute2 iptables
  libvirt-daemon libvirt-daemon-driver-qemu libvirt-clients python3-libvirt
  qemu-system-x86 qemu-utils qemu-block-extra novnc websockify genisoimage
  ceph-mon ceph-osd ceph-mgr ceph-common python3-rbd python3-rados
  syslinux syslinux-common mtools dosfstools cpio kmod openssl curl sudo
)
PACKAGES_OF_BALANCERS=(
  python3-octavia octavia-common python3-ovn-octavia-provider python3-octaviaclient
  python3-barbican barbican-common
)
PACKAGES_OF_VPN=(python3-neutron-vpnaas)
packages_up() {
  local missing=() p policy=''
  [ -z "$BALANCERS" ] || PACKAGES+=("${PACKAGES_OF_BALANCERS[@]}")
  [ -z "$VPN" ] || PACKAGES+=("${PACKAGES_OF_VPN[@]}")
  for p in "${PACKAGES[@]}"; do
    [ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$p" 2>/dev/null)" = 'ii ' ] || missing+=("$p")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "installing ${#missing[@]} packages"
  # Maintainer scripts must not start services, because this machine has no init system
  # and every service runs from the state dir.
  if [ ! -e /usr/sbin/policy-rc.d ]; then
    policy=1; printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d; chmod 755 /usr/sbin/policy-rc.d
  fi
  local apt=(nice -n 10 apt-get -o DPkg::Lock::Timeout=300 -y -q --no-install-recommends) rc=0
  export DEBIAN_FRONTEND=noninteractive
  "${apt[@]}" install "${missing[@]}" >"$LOG/apt.log" 2>&1 || {
    "${apt[@]}" update >>"$LOG/apt.log" 2>&1 && "${apt[@]}" install "${missing[@]}" >>"$LOG/apt.log" 2>&1
  } || rc=$?
  [ -z "$policy" ] || rm -f /usr/sbin/policy-rc.d
  [ $rc = 0 ] || { tail -n 20 "$LOG/apt.log" >&2; die "package installation failed (see $LOG/apt.log)"; }
}
