import { GiB } from '@mainstay/contract/core/bytes'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import { Secret } from '../../../ports/secret'
import { volumeReader } from '../../storage/volumes/shape'
import { startComputeFixture, type ComputeFixture } from '../../testing/compute-fixture'
import { serverRefusal } from '../../testing/fake-cloud/servers'
import { instanceReader } from './reader'

let fixture: ComputeFixture
beforeEach(async () => {
  fixture = await startComputeFixture()
})
afterEach(() => fixture.close())

describe('power', () => {
  test.each([
    ['start', 'SHUTOFF', 'powering-on', { 'os-start': null }],
    ['pause', 'ACTIVE', 'pausing', { pause: null }],
    ['unpause', 'PAUSED', 'unpausing', { unpause: null }],
    ['suspend', 'ACTIVE', 'suspending', { suspend: null }],
    ['resume', 'SUSPENDED', 'resuming', { resume: null }],
  ] as const)('sends %s, returns the busy row and starts a task', async (command, status, task, action) => {
    const { id } = await fixture.add({ status })
    expect(await fixture.instances[command](fixture.member, id)).toMatchObject({ id, task_state: task })
    expect(fixture.indexed(id)).toMatchObject({ task_state: task })
    expect(fixture.nova.actionsOf(id)).toEqual([action])
    expect(fixture.begun).toMatchObject([{ name: `compute.server.${command}`, args: { until: 'settled' } }])
  })

  test("uses the cloud's shutdown timeout, and refuses an unlimited one", async () => {
    const { id } = await fixture.add()
    const stop = (hard: boolean, timeoutSeconds: number) =>
      fixture.instances.stop(fixture.member, id, { hard, timeoutSeconds })
    expect(await refusal(stop(false, -1))).toMatchObject({
      code: 'unsupported',
      fields: { timeout: [expect.any(String)] },
    })
    expect(await stop(false, 60)).toMatchObject({ task_state: 'powering-off' })
    expect(await refusal(fixture.instances.cancelStop(fixture.member, id))).toMatchObject({ code: 'unsupported' })
    expect(fixture.nova.actionsOf(id)).toEqual([{ 'os-stop': null }])
  })

  test('unpauses or unrescues an instance before shutting it down', async () => {
    const server = await fixture.add({ status: 'PAUSED' })
    const { id } = server
    const how = { hard: true, timeoutSeconds: 0 }
    expect(await fixture.instances.stop(fixture.member, id, how)).toMatchObject({ task_state: 'unpausing' })
    Object.assign(server, { status: 'ACTIVE' })
    fixture.nova.task(server, null)
    const task = fixture.runTask()
    await expect.poll(() => fixture.nova.actionsOf(id)).toEqual([{ unpause: null }, { 'os-stop': null }])
    server.status = 'SHUTOFF'
    fixture.nova.task(server, null)
    await task
    expect(fixture.indexed(id)).toMatchObject({ status: 'SHUTOFF' })
  })

  test('reboots softly or hard', async () => {
    const [soft, hard] = [await fixture.add(), await fixture.add({ status: 'ERROR' })]
    expect(await fixture.instances.reboot(fixture.member, soft.id, { hard: false })).toMatchObject({ status: 'REBOOT' })
    expect(await fixture.instances.reboot(fixture.member, hard.id, { hard: true })).toMatchObject({
      ...{ status: 'HARD_REBOOT', task_state: 'rebooting_hard' },
    })
  })

  test("refuses an action that the instance's state does not allow, after refreshing the row", async () => {
    const server = await fixture.add({ status: 'SHUTOFF' })
    expect(await refusal(fixture.instances.pause(fixture.member, server.id))).toMatchObject({
      code: 'invalid_state',
      data: { status: 'SHUTOFF' },
    })
    server.status = 'ACTIVE'
    expect(await fixture.instances.pause(fixture.member, server.id)).toMatchObject({ task_state: 'pausing' })
  })

  test('reports why the cloud rejects an action in the current state, and refreshes the row', async () => {
    const server = await fixture.add()
    fixture.nova.task(server, 'image_snapshot')
    expect(await refusal(fixture.instances.pause(fixture.member, server.id))).toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining('task_state image_snapshot'),
      data: { service: 'compute', cloud_request_id: expect.stringMatching(/^req-/) },
    })
    expect(fixture.indexed(server.id)).toMatchObject({ task_state: 'image_snapshot' })
  })

  test('resets the state to the one that the hypervisor reports', async () => {
    const { id } = await fixture.add({ status: 'ERROR', 'OS-EXT-STS:power_state': 4 })
    expect(await fixture.instances.resetState(fixture.operator, id, null)).toMatchObject({ task_state: 'powering-off' })
    expect(await fixture.instances.resetState(fixture.operator, id, 'error')).toMatchObject({ status: 'ERROR' })
    expect(fixture.nova.actionsOf(id)).toEqual([
      { 'os-resetState': { state: 'active' } },
      { 'os-stop': null },
      { 'os-resetState': { state: 'error' } },
    ])
  })
})

describe('resizing', () => {
  test('confirms the resize once, within the task and with the service account', async () => {
    const server = await fixture.add({ status: 'SHUTOFF' })
    await fixture.instances.resize(fixture.member, server.id, 'f2', { restart: false })
    expect(fixture.begun).toMatchObject([{ name: 'compute.server.resize', args: { flavor: 'm1.tiny' } }])
    Object.assign(server, { status: 'VERIFY_RESIZE', flavor: { ...server.flavor, original_name: 'm1.tiny', ram: 128 } })
    fixture.nova.task(server, null)
    await fixture.runTask()
    expect(fixture.nova.actionsOf(server.id)).toEqual([{ resize: { flavorRef: 'f2' } }, { confirmResize: null }])
    expect(fixture.cloud.received.findLast(({ verb }) => verb === 'POST')).toMatchObject({
      token: { user: { name: 'service' } },
    })
    expect(fixture.indexed(server.id)).toMatchObject({ status: 'SHUTOFF', flavor: { id: 'f2', ram: 128 } })
  })

  test('requires a restart to resize a running instance, and leaves the restart to the cloud', async () => {
    const { id } = await fixture.add({ status: 'ACTIVE' })
    expect(await refusal(fixture.instances.resize(fixture.member, id, 'f2', { restart: false }))).toMatchObject({
      code: 'invalid_state',
    })
    await fixture.instances.resize(fixture.member, id, 'f2', { restart: true })
    expect(fixture.nova.actionsOf(id)).toEqual([{ resize: { flavorRef: 'f2' } }])
  })

  test('refuses to enable live resize', async () => {
    const { id } = await fixture.add({ status: 'ACTIVE' })
    expect(await refusal(fixture.instances.update(fixture.member, id, { allow_live_resize: true }))).toMatchObject({
      code: 'unsupported',
      fields: { allow_live_resize: [expect.any(String)] },
    })
    expect(await fixture.instances.update(fixture.member, id, { allow_live_resize: false })).toMatchObject({
      allow_live_resize: false,
    })
  })

  test('fails the task when no node accepts the new flavor', async () => {
    const server = await fixture.add({ status: 'SHUTOFF' })
    await fixture.instances.resize(fixture.member, server.id, 'f2', { restart: false })
    server.status = 'SHUTOFF'
    fixture.nova.task(server, null)
    await expect(fixture.runTask()).rejects.toMatchObject({ code: 'no_valid_host' })
  })

  test('refuses an unknown flavor and the current one, with an error on the flavor field', async () => {
    const { id } = await fixture.add({ status: 'SHUTOFF' })
    for (const flavor of ['no-such-flavor', 'f1'])
      expect(await refusal(fixture.instances.resize(fixture.member, id, flavor, { restart: false }))).toMatchObject({
        fields: { flavor: [expect.any(String)] },
      })
    expect(fixture.nova.actionsOf(id)).toEqual([])
  })
})

describe('actions that only a real cloud supports', () => {
  test('rescues with the given image, or with the original one if it still exists', async () => {
    const { id } = await fixture.add({ image: { id: 'gone' } })
    expect(await refusal(fixture.instances.rescue(fixture.member, id, null))).toMatchObject({
      fields: { image_id: [expect.any(String)] },
    })
    const rescue = fixture.glance.add({ status: 'active', disk_format: 'raw', size: GiB })
    await fixture.instances.rescue(fixture.member, id, rescue.id)
    expect(fixture.nova.actionsOf(id)).toEqual([{ rescue: { rescue_image_ref: rescue.id } }])
  })

  test('marks the disk with the installed system as bootable, which Nova requires for a rescue', async () => {
    const server = fixture.nova.add()
    const disk = fixture.cinder.add({ bootable: 'false' })
    fixture.nova.attach(server, disk.id, '/dev/vda')
    await fixture.engine.refresh(instanceReader, server.id)
    await fixture.engine.refresh(volumeReader, disk.id)
    await fixture.instances.rescue(fixture.member, server.id, fixture.image().id)
    expect(disk['bootable']).toBe('true')
    expect(fixture.index.get(`volume/${disk.id}`)).toMatchObject({ bootable: true })
  })

  test('offloads a shelved instance immediately', async () => {
    const server = await fixture.add()
    await fixture.instances.shelve(fixture.member, server.id)
    server.status = 'SHELVED'
    fixture.nova.task(server, null)
    await fixture.runTask()
    expect(fixture.nova.actionsOf(server.id)).toEqual([{ shelve: null }, { shelveOffload: null }])
  })

  test('live-migrates a running instance to the given node, and fails if it does not move', async () => {
    const { id } = await fixture.add()
    await fixture.instances.migrate(fixture.operator, id, { node: 'node-2', cold: false })
    expect(fixture.nova.actionsOf(id)).toEqual([{ 'os-migrateLive': { host: 'node-2', block_migration: 'auto' } }])
    await expect(fixture.runTask()).rejects.toMatchObject({ code: 'conflict' })
    const off = await fixture.add({ status: 'SHUTOFF' })
    await fixture.instances.migrate(fixture.operator, off.id, { node: null, cold: false })
    expect(fixture.nova.actionsOf(off.id)).toEqual([{ migrate: null }])
  })

  test('refuses to set a password without a guest agent, and never reveals the password', async () => {
    const { id } = await fixture.add({ image: { id: fixture.glance.add({ hw_qemu_guest_agent: 'yes' }).id } })
    fixture.cloud.on('compute', 'POST', '/servers/:id/action', () =>
      serverRefusal(
        409,
        'conflictingRequest',
        'Failed to set admin password on it because QEMU guest agent is not enabled',
      ),
    )
    const refused = await refusal(fixture.instances.setPassword(fixture.member, id, new Secret('correct horse')))
    expect(refused).toMatchObject({ code: 'guest_agent_unavailable' })
    expect(JSON.stringify([refused, fixture.logged, fixture.begun])).not.toContain('correct horse')
  })
})
