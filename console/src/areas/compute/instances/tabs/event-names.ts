import type { Key } from '../../../../i18n/catalogues'

const eventNames: Readonly<Record<string, Key<'instance'> | undefined>> = {
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
  shelve: 'instances.event.shelve',
  unshelve: 'instances.event.unshelve',
  rescue: 'instances.event.rescue',
  unrescue: 'instances.event.unrescue',
  resize: 'instances.event.resize',
  setPassword: 'instances.event.setPassword',
  migrate: 'instances.event.migrate',
  stopMigrate: 'instances.event.stopMigrate',
  stopMigration: 'instances.event.stopMigrate',
  evacuate: 'instances.event.evacuate',
  liveResize: 'instances.event.resize',
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

/**
 * Text key for a call or task. Calls have their API name (`setTag`); tasks have a prefix with their area
 * (`compute.server.attach_volume`). Undefined for unknown names, which are shown unchanged.
 */
export const eventName = (name: string): Key<'instance'> | undefined =>
  eventNames[name.replace(/^.*\./, '').replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())]
