import type { FloatingIp } from '@mainstay/contract/networking/floating-ips'

/** The device that a floating IP is assigned to, in the same format as a port's device. */
export const deviceOf = ({ attachment }: Pick<FloatingIp, 'attachment'>) => ({
  device_owner: attachment?.device_owner ?? '',
  device_id: attachment?.object_id ?? '',
  device_name: attachment?.object_name ?? '',
  name: '',
})
