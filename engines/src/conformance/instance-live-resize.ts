import type { Flavor } from '@mainstay/contract/compute/flavors'
import type { Instance } from '@mainstay/contract/compute/instances'
import { describe, expect, test } from 'vitest'
import { refusal, settled, suiteOf, until, type CloudUnderTest, type StartCloud } from './cloud'
import { instanceFixture, slowTest } from './instance-fixture'

/** Conformance tests for resizing running instances, live or with a restart. */
export function describeLiveResize(start: StartCloud): void {
  describe(suiteOf('instances: live resize'), () => {
    const fixture = instanceFixture(start)
    const cannot = () => !fixture.cloud.capabilities.live_resize
    const flavorOf = (name: string, vcpus: number, ram: number): Promise<Flavor> =>
      fixture.cloud.compute.flavors.create(fixture.cloud.operator, { name, vcpus, ram, swap: 0 })
    const live = { restart: false }

    test(
      'adds vCPUs and memory to a running instance that allows live resize, and the guest uses them',
      slowTest,
      async ({ skip }) => {
        const { cloud } = fixture
        const { instances } = cloud.compute
        skip(cannot(), 'the engine does not support live resize')
        const small = await flavorOf('live small', 1, 128)
        const large = await flavorOf('live large', 2, 512)
        const before = await fixture.running({ name: 'grows', flavor: small.id, allow_live_resize: true })
        const { id } = before
        expect(before).toMatchObject({ allow_live_resize: true, max_mem: 512 })
        expect(before.max_vcpu).toBeGreaterThanOrEqual(2)
        await fixture.guestIsUp(id)
        const begun = await instances.resize(cloud.member, id, large.id, live)
        expect(begun).toMatchObject({ status: 'LIVE_RESIZE', flavor: { id: large.id } })
        expect(await refusal(instances.pause(cloud.member, id))).toMatchObject({ code: 'invalid_state' })
        const after = await settled(cloud, id, 'ACTIVE')
        expect(after).toMatchObject({ flavor: { id: large.id, vcpus: 2, ram: 512 }, fault: null, max_mem: 512 })
        await guestHas(cloud, id, { vcpus: 2, overMiB: 400 })

        // keeps the new size across suspend and resume, and across a reboot
        await instances.suspend(cloud.member, id)
        await settled(cloud, id, 'SUSPENDED')
        await instances.resume(cloud.member, id)
        await settled(cloud, id, 'ACTIVE')
        await instances.stop(cloud.member, id, { hard: true, timeoutSeconds: 0 })
        await settled(cloud, id, 'SHUTOFF')
        await instances.start(cloud.member, id)
        expect((await settled(cloud, id, 'ACTIVE')).max_mem).toBeGreaterThan(512)
        await fixture.remove(id)
        for (const flavor of [small, large]) await cloud.compute.flavors.delete(cloud.operator, flavor.id)
      },
    )

    test(
      'refuses a live resize below the current size or above the headroom, and reports the limits',
      slowTest,
      async ({ skip }) => {
        const { cloud } = fixture
        const { instances } = cloud.compute
        skip(cannot(), 'the engine does not support live resize')
        const middle = await flavorOf('live middle', 1, 256)
        const vast = await flavorOf('live vast', 1, 1025)
        const { id, max_vcpu } = await fixture.running({ name: 'limited', flavor: middle.id, allow_live_resize: true })
        const limits = { min_vcpu: 1, max_vcpu, min_mem: 256, max_mem: 1024 }
        for (const flavor of [vast.id, cloud.flavor]) {
          expect(await refusal(instances.resize(cloud.member, id, flavor, live))).toMatchObject({
            code: 'live_resize_limit',
            data: limits,
            fields: { flavor: [expect.stringContaining('restart')] },
          })
        }
        expect(await cloud.row('server', id)).toMatchObject({ status: 'ACTIVE', flavor: { id: middle.id } })
        await fixture.remove(id)
        for (const flavor of [middle, vast]) await cloud.compute.flavors.delete(cloud.operator, flavor.id)
      },
    )

    test('allowing live resize on a running instance takes effect at the next start', slowTest, async ({ skip }) => {
      const { cloud } = fixture
      const { instances } = cloud.compute
      skip(cannot(), 'the engine does not support live resize')
      const { id } = await fixture.running({ name: 'later' })
      expect(await refusal(instances.resize(cloud.member, id, cloud.largerFlavor, live))).toMatchObject({
        code: 'invalid_state',
      })
      const allowed = await instances.update(cloud.member, id, { allow_live_resize: true })
      expect(allowed).toMatchObject({ allow_live_resize: true, max_vcpu: null, max_mem: null })
      expect(await refusal(instances.resize(cloud.member, id, cloud.largerFlavor, live))).toMatchObject({
        code: 'live_resize_limit',
      })
      await instances.stop(cloud.member, id, { hard: true, timeoutSeconds: 0 })
      await settled(cloud, id, 'SHUTOFF')
      await instances.start(cloud.member, id)
      expect((await settled(cloud, id, 'ACTIVE')).max_mem).toBeGreaterThan(0)
      await fixture.guestIsUp(id)
      await instances.resize(cloud.member, id, cloud.largerFlavor, live)
      expect((await settled(cloud, id, 'ACTIVE')).flavor.id).toBe(cloud.largerFlavor)
      const forbidden = await instances.update(cloud.member, id, { allow_live_resize: false })
      expect(forbidden.allow_live_resize).toBe(false)
      expect(await refusal(instances.resize(cloud.member, id, cloud.flavor, live))).toMatchObject({
        code: 'invalid_state',
      })
      await fixture.remove(id)
    })

    test('refuses to allow live resize if the engine does not support it', slowTest, async ({ skip }) => {
      const { cloud } = fixture
      skip(!cannot(), 'the engine supports live resize')
      const refused = { code: 'unsupported', fields: { allow_live_resize: [expect.any(String)] } }
      expect(await refusal(fixture.create({ allow_live_resize: true }))).toMatchObject(refused)
      const { id } = await fixture.running({ name: 'asked' })
      expect(
        await refusal(cloud.compute.instances.update(cloud.member, id, { allow_live_resize: true })),
      ).toMatchObject(refused)
      await fixture.remove(id)
    })

    test('resizes a running instance by restarting it', slowTest, async ({ skip }) => {
      const { cloud } = fixture
      const { instances } = cloud.compute
      skip(fixture.cannot('resizeWithRestart'))
      const { id } = await fixture.running({ name: 'restarted' })
      await fixture.guestIsUp(id)
      expect(await refusal(instances.resize(cloud.stranger, id, cloud.largerFlavor, { restart: true }))).toMatchObject({
        code: 'not_found',
      })
      const begun = await instances.resize(cloud.member, id, cloud.largerFlavor, { restart: true })
      expect(begun.task_state).not.toBeNull()
      expect((await settled(cloud, id, 'ACTIVE')).flavor.id).toBe(cloud.largerFlavor)
      await fixture.remove(id)
    })
  })
}

/** Waits until the guest reports this number of vCPUs and more memory than `overMiB`; the two change separately. */
const guestHas = (
  cloud: CloudUnderTest,
  id: Instance['id'],
  { vcpus, overMiB }: { vcpus: number; overMiB: number },
): Promise<unknown> =>
  until('the guest to report its new size', async () => {
    const log = (await cloud.compute.instances.consoleLog(cloud.member, id, 100_000)).toString()
    const told = [...log.matchAll(/guest: now (\d+) processors, (\d+) MiB/g)].at(-1)
    return Number(told?.[1]) === vcpus && Number(told?.[2]) > overMiB
  })
