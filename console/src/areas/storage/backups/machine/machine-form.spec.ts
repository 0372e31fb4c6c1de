import type { Flavor } from '@mainstay/contract/compute/flavors'
import type { Network } from '@mainstay/contract/networking/networks'
import { describe, expect, it, test } from 'vitest'
import type { Translate } from '../../../../i18n/use-t'
import { inDeviceOrder, volumesWithout, whyNotReplaced, whyNotRestorable } from './instant'
import { machineDraftOf, machineForm, startOfMachine } from './machine-form'

// shows the key and the values of a text
const t = ((key: string, values?: object) => [key, ...Object.values(values ?? {})].join(' ')) as Translate<'storage'>
const flavor = { id: 'a-flavor' } as Flavor
const network = { id: 'a-network' } as Network
const valid = { name: 'copy', flavor, connection: 'none' as const, networks: [] }

describe('the form that restores a virtual machine', () => {
  test.each([
    ['web', 'web-restored'],
    [null, 'nightly-restored'],
    ['1f0c-of-a-cloud', 'nightly-restored'],
  ])('proposes a valid name for virtual machine %s, and no network', (server_name, name) => {
    expect(startOfMachine({ name: 'nightly', server_name }, null)).toEqual({
      ...{ name, flavor: null, connection: 'none', networks: [] },
    })
  })

  it('sends networks only if the virtual machine is connected', () => {
    expect(machineDraftOf({ ...valid, networks: [network] })).toEqual({
      ...{ name: 'copy', flavor: 'a-flavor', networks: [] },
    })
    expect(machineDraftOf({ ...valid, connection: 'chosen', networks: [network] }).networks).toEqual([
      { id: 'a-network' },
    ])
  })

  it('requires a flavor, and a network if the virtual machine is connected', () => {
    const messagesOf = (form: object) =>
      machineForm(t)
        .safeParse(form)
        .error?.issues.map(({ message }) => message)
    expect(messagesOf(valid)).toBeUndefined()
    expect(messagesOf({ ...valid, flavor: null })).toEqual(['backups.machine.flavorMissing'])
    expect(messagesOf({ ...valid, connection: 'chosen' })).toEqual(['backups.machine.networkMissing'])
  })
})

describe('the recovery points of one moment', () => {
  const point = (id: string, device: string | null, status = 'available') => ({
    ...{ id, device, status, volume_id: `volume-${id}`, volume_name: id, damaged_by: null, has_dependents: false },
  })
  const [data, boot] = [point('data', 'vdb'), point('boot', 'vda')]

  it('are in the order of their devices', () => {
    expect(inDeviceOrder([data, boot]).map(({ id }) => id)).toEqual(['boot', 'data'])
  })

  it('cannot be restored if one of them is damaged or not available', () => {
    expect(whyNotRestorable([boot, data], t)).toBeUndefined()
    expect(whyNotRestorable([boot, { ...data, damaged_by: 'other' }], t)).toBe('backups.machine.damaged data')
    for (const status of ['creating', 'verifying', 'error', 'deleting', 'error_deleting'])
      expect(whyNotRestorable([boot, point('data', 'vdb', status)], t)).toMatch(/^backups\.machine\.notNow data /)
  })

  it('do not contain volumes that were attached later', () => {
    const disk = { size: 1, delete_on_termination: false, boot_index: null, device: null }
    const volumes = ['volume-boot', 'volume-data', 'later'].map((id) => ({ id, name: id, ...disk }))
    expect(volumesWithout([boot, data], { volumes })).toEqual(['later'])
    expect(volumesWithout([boot, data], null)).toEqual([])
  })

  it('replace volumes only of a virtual machine that is not busy', () => {
    expect(whyNotReplaced({ status: 'ACTIVE', task_state: null }, t)).toBeUndefined()
    expect(whyNotReplaced({ status: 'ACTIVE', task_state: 'powering-off' }, t)).toBe('backups.replace.notNow')
    expect(whyNotReplaced({ status: 'SUSPENDED', task_state: null }, t)).toBe('backups.replace.notNow')
  })
})
