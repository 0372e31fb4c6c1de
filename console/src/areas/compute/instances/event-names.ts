import type { Key } from '../../../i18n/catalogues'

/** Events by the name that the server gives them; what is not here is shown by that name. */
export const eventNames: Readonly<Record<string, Key<'compute'> | undefined>> = {
  create: 'instances.event.create',
  start: 'instances.event.start',
  stop: 'instances.event.stop',
  cancelStop: 'instances.event.cancelStop',
  'cancel-stop': 'instances.event.cancelStop',
  reboot: 'instances.event.reboot',
  suspend: 'instances.event.suspend',
  resume: 'instances.event.resume',
  pause: 'instances.event.pause',
  unpause: 'instances.event.unpause',
  resize: 'instances.event.resize',
  reset: 'instances.event.reset',
  update: 'instances.event.update',
  delete: 'instances.event.delete',
  attachVolume: 'instances.event.attachVolume',
  detachVolume: 'instances.event.detachVolume',
  attachInterface: 'instances.event.attachInterface',
  detachInterface: 'instances.event.detachInterface',
  setTag: 'instances.event.setTag',
  removeTag: 'instances.event.removeTag',
  setMetadata: 'instances.event.setMetadata',
  removeMetadata: 'instances.event.removeMetadata',
  console: 'instances.event.console',
  log: 'instances.event.log',
}
