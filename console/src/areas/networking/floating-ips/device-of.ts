import type { FloatingIp } from '@mainstay/contract/networking/floating-ips'

/** What has the port that a floating IP leads to, as a port tells it. */
export const deviceOf = ({ attachment }: Pick<FloatingIp, 'attachment'>) => ({
  device_owner: attachment?.device_owner ?? '',
  device_id: attachment?.object_id ?? '',
  device_name: attachment?.object_name ?? '',
  name: '',
})
