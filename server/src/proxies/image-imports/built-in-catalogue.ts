import { CatalogueImage } from '@mainstay/contract/compute/image-imports'
import type * as z from 'zod'

/*
 * Cloud images published by distributions, for the architecture of this machine (amd64). All of them accept SSH keys
 * through cloud-init. Checksums are read from the publishers, because the files at these URLs change often.
 */
const debian = 'https://cloud.debian.org/images/cloud'
const ubuntu = 'https://cloud-images.ubuntu.com/releases'
const alpine = 'https://dl-cdn.alpinelinux.org/alpine/v3.22/releases/cloud'
const rocky = 'https://dl.rockylinux.org/pub/rocky/9/images/x86_64/Rocky-9-GenericCloud-Base.latest.x86_64.qcow2'
const alma = 'https://repo.almalinux.org/almalinux/9/cloud/x86_64/images'
const centos = 'https://cloud.centos.org/centos/9-stream/x86_64/images'
const fedora = 'https://dl.fedoraproject.org/pub/fedora/linux/releases/42/Cloud/x86_64/images'
const suse = 'https://download.opensuse.org/distribution/leap/15.6/appliances'

const images: readonly z.input<typeof CatalogueImage>[] = [
  {
    ...{ id: 'debian-13', name: 'Debian', version: '13', os_distro: 'debian13', username: 'debian', min_ram: 512 },
    url: `${debian}/trixie/latest/debian-13-genericcloud-amd64.qcow2`,
    checksum_url: `${debian}/trixie/latest/SHA512SUMS`,
  },
  {
    ...{ id: 'debian-12', name: 'Debian', version: '12', os_distro: 'debian12', username: 'debian', min_ram: 512 },
    url: `${debian}/bookworm/latest/debian-12-genericcloud-amd64.qcow2`,
    checksum_url: `${debian}/bookworm/latest/SHA512SUMS`,
  },
  {
    ...{ id: 'ubuntu-24.04', name: 'Ubuntu', version: '24.04 LTS', os_distro: 'ubuntu24.04', username: 'ubuntu' },
    min_ram: 1024,
    url: `${ubuntu}/noble/release/ubuntu-24.04-server-cloudimg-amd64.img`,
    checksum_url: `${ubuntu}/noble/release/SHA256SUMS`,
  },
  {
    ...{ id: 'ubuntu-22.04', name: 'Ubuntu', version: '22.04 LTS', os_distro: 'ubuntu22.04', username: 'ubuntu' },
    min_ram: 1024,
    url: `${ubuntu}/jammy/release/ubuntu-22.04-server-cloudimg-amd64.img`,
    checksum_url: `${ubuntu}/jammy/release/SHA256SUMS`,
  },
  {
    ...{
      id: 'alpine-3.22',
      name: 'Alpine Linux',
      version: '3.22',
      os_distro: 'alpine',
      username: 'alpine',
      min_ram: 256,
    },
    url: `${alpine}/nocloud_alpine-3.22.1-x86_64-bios-cloudinit-r0.qcow2`,
    checksum_url: `${alpine}/nocloud_alpine-3.22.1-x86_64-bios-cloudinit-r0.qcow2.sha512`,
  },
  {
    ...{ id: 'fedora-42', name: 'Fedora', version: '42', os_distro: 'fedora', username: 'fedora', min_ram: 1024 },
    url: `${fedora}/Fedora-Cloud-Base-Generic-42-1.1.x86_64.qcow2`,
    checksum_url: `${fedora}/Fedora-Cloud-42-1.1-x86_64-CHECKSUM`,
  },
  {
    ...{ id: 'rocky-9', name: 'Rocky Linux', version: '9', os_distro: 'rocky9', username: 'rocky', min_ram: 1024 },
    url: rocky,
    checksum_url: `${rocky}.CHECKSUM`,
  },
  {
    ...{ id: 'almalinux-9', name: 'AlmaLinux', version: '9', os_distro: 'alma9', username: 'almalinux', min_ram: 1024 },
    url: `${alma}/AlmaLinux-9-GenericCloud-latest.x86_64.qcow2`,
    checksum_url: `${alma}/CHECKSUM`,
  },
  {
    ...{ id: 'centos-stream-9', name: 'CentOS Stream', version: '9', os_distro: 'centos-stream9' },
    ...{ username: 'cloud-user', min_ram: 1024 },
    url: `${centos}/CentOS-Stream-GenericCloud-9-latest.x86_64.qcow2`,
    checksum_url: `${centos}/CentOS-Stream-GenericCloud-9-latest.x86_64.qcow2.SHA256SUM`,
  },
  {
    ...{ id: 'opensuse-leap-15.6', name: 'openSUSE Leap', version: '15.6', os_distro: 'opensuse15' },
    ...{ username: 'opensuse', min_ram: 1024 },
    url: `${suse}/openSUSE-Leap-15.6-Minimal-VM.x86_64-Cloud.qcow2`,
    checksum_url: `${suse}/openSUSE-Leap-15.6-Minimal-VM.x86_64-Cloud.qcow2.sha256`,
  },
]

export const builtIn: CatalogueImage[] = images.map((image) => CatalogueImage.parse(image))
