import { randomUUID } from 'node:crypto'
import type { ComputeNode } from '@mainstay/contract/compute/nodes'
import type { Image } from '@mainstay/contract/compute/images'
import type { Instance } from '@mainstay/contract/compute/instances'
import type { Placement, PlacementCarrier } from '@mainstay/contract/compute/placements'
import { Problem } from '@mainstay/contract/core/problems'
import { afterEach, describe, expect, test } from 'vitest'
import { refusal, settled, suiteOf, until, type StartCloud } from './cloud'
import { instanceFixture, slowTest, type DraftChange } from './instance-fixture'

const newName = () => `CONFORMANCE_${randomUUID().slice(0, 8).toUpperCase()}`

/** Conformance tests for placements. */
export function describePlacements(start: StartCloud): void {
  describe(suiteOf('placements'), () => {
    const fixture = instanceFixture(start)
    /** Undoes the changes of a test in reverse order, because placements are shared by the whole cloud. */
    const undo: (() => Promise<unknown>)[] = []
    afterEach(async () => {
      for (const step of undo.splice(0).toReversed()) await step()
    }, slowTest.timeout)

    const placements = () => fixture.cloud.compute.placements
    const shown = (id: string) => fixture.cloud.row<Placement>('placement', id)

    async function place(change: { isolated?: boolean } = {}): Promise<Placement> {
      const draft = { name: newName(), description: '', isolated: false, ...change }
      const made = await placements().create(fixture.cloud.operator, draft)
      undo.push(() => placements().delete(fixture.cloud.operator, made.id))
      return made
    }
    async function assign({ id }: Placement, carrier: PlacementCarrier, carrierId: string): Promise<Placement> {
      const changed = await placements().assign(fixture.cloud.operator, id, carrier, [carrierId])
      undo.push(() => placements().withdraw(fixture.cloud.operator, id, carrier, carrierId))
      return changed
    }
    async function flavor(): Promise<string> {
      const { flavors } = fixture.cloud.compute
      const draft = { name: `conformance-placed ${randomUUID()}`, vcpus: 1, ram: 128, swap: 0 }
      const { id } = await flavors.create(fixture.cloud.operator, draft)
      undo.push(() => flavors.delete(fixture.cloud.operator, id))
      return id
    }
    async function running(change: DraftChange) {
      const { id } = await fixture.create(change)
      undo.push(() => fixture.remove(id))
      return settled(fixture.cloud, id, 'ACTIVE')
    }

    test('creates a placement that is not assigned to anything', slowTest, async () => {
      const made = await place()
      const nothing = { nodes: [], images: [], flavors: [] }
      expect(made).toEqual({ id: made.id, name: made.name, description: '', isolated: false, ...nothing })
    })

    test(
      'assigns a placement to nodes, images and flavors, and refuses to delete it while it is assigned',
      slowTest,
      async () => {
        const { cloud } = fixture
        const carriers = { nodes: cloud.node, images: fixture.image.id, flavors: await flavor() }
        const made = await place()
        for (const [carrier, id] of Object.entries(carriers) as [PlacementCarrier, string][]) {
          expect(await placements().assign(cloud.operator, made.id, carrier, [id])).toMatchObject({ [carrier]: [id] })
          // assigning the placement again has no effect
          expect(await placements().assign(cloud.operator, made.id, carrier, [id])).toMatchObject({ [carrier]: [id] })
          expect(await refusal(placements().delete(cloud.operator, made.id))).toMatchObject({
            ...{ code: 'in_use', message: expect.stringContaining(`${carrier}: 1`) },
          })
          if (carrier === 'nodes') expect((await cloud.row<ComputeNode>('compute_node', id))?.traits).toContain(made.id)
          if (carrier === 'images') expect((await cloud.row<Image>('image', id))?.traits).toContain(made.id)
          expect(await placements().withdraw(cloud.operator, made.id, carrier, id)).toMatchObject({ [carrier]: [] })
          expect(await refusal(placements().withdraw(cloud.operator, made.id, carrier, id))).toMatchObject({
            code: 'not_found',
          })
        }
        expect(await shown(made.id)).toMatchObject({ nodes: [], images: [], flavors: [] })
      },
    )

    test('refuses unknown placements, nodes, images and flavors', slowTest, async () => {
      const { cloud } = fixture
      const made = await place()
      for (const carrier of ['nodes', 'images', 'flavors'] as const) {
        const nobody = randomUUID()
        expect(await refusal(placements().assign(cloud.operator, made.id, carrier, [nobody]))).toMatchObject({
          ...{ code: 'validation', fields: { ids: [expect.any(String)] } },
        })
        expect(await refusal(placements().withdraw(cloud.operator, made.id, carrier, nobody))).toMatchObject({
          code: 'not_found',
        })
      }
      const nodes = placements().assign(cloud.operator, 'no-such-placement', 'nodes', [cloud.node])
      expect(await refusal(nodes)).toMatchObject({ code: 'not_found' })
    })

    test('an instance gets the placements of its flavor and image, which then count as in use', slowTest, async () => {
      const { cloud } = fixture
      const [byFlavor, byImage] = [await place(), await place()]
      const placed = await flavor()
      for (const placement of [byFlavor, byImage]) await assign(placement, 'nodes', cloud.node)
      await assign(byFlavor, 'flavors', placed)
      await assign(byImage, 'images', fixture.image.id)
      const { traits } = await running({ name: 'placed', flavor: placed })
      expect(traits.toSorted()).toEqual([byFlavor.id, byImage.id].toSorted())
      const unused = await refusal(placements().delete(cloud.operator, byFlavor.id))
      expect(unused).toMatchObject({ code: 'in_use', data: { nodes: 1, flavors: 1, servers: 1 } })
    })

    test('an instance is not scheduled if none of the nodes has its placement', slowTest, async () => {
      const { cloud } = fixture
      const [made, placed] = [await place(), await flavor()]
      await assign(made, 'flavors', placed)
      const outcome = await fixture.create({ name: 'nowhere', flavor: placed }).then(
        ({ id }) => {
          undo.push(() => fixture.remove(id))
          // a cloud may report the fault with a delay
          return until(`a fault of ${id}`, async () => (await cloud.row<Instance>('server', id))?.fault?.code ?? null)
        },
        (error: unknown) => (error instanceof Problem ? error.code : String(error)),
      )
      expect(outcome).toBe('no_valid_host')
    })

    test('sets the placements of an instance directly if the engine supports it', slowTest, async () => {
      const { cloud } = fixture
      const made = await place()
      await assign(made, 'nodes', cloud.node)
      const { capabilities } = cloud
      const { instances } = cloud.compute
      if (!capabilities.instance_placements) {
        expect(await refusal(fixture.create({ name: 'chosen', traits: [made.id] }))).toMatchObject({
          ...{ code: 'unsupported', fields: { traits: [expect.any(String)] } },
        })
        return
      }
      const { id, traits } = await running({ name: 'chosen', traits: [made.id] })
      expect(traits).toEqual([made.id])
      expect(await instances.update(cloud.member, id, { traits: [] })).toMatchObject({ traits: [] })
      expect(await instances.update(cloud.member, id, { traits: [made.id] })).toMatchObject({ traits: [made.id] })
      const unknown = instances.update(cloud.member, id, { traits: ['no-such-placement'] })
      expect(await refusal(unknown)).toMatchObject({ fields: { traits: [expect.any(String)] } })
    })

    test('changes placements if the engine supports it', slowTest, async () => {
      const { cloud } = fixture
      const made = await place()
      const change = { name: newName(), description: 'Fast disks', isolated: true }
      const changing = placements().update(cloud.operator, made.id, change)
      if (cloud.capabilities.placement_details) {
        expect(await changing).toEqual({ ...made, ...change })
        expect(await shown(made.id)).toEqual({ ...made, ...change })
      } else expect(await refusal(changing)).toMatchObject({ code: 'unsupported' })
      const nobody = placements().update(cloud.operator, 'no-such-placement', { description: '' })
      expect(await refusal(nobody)).toMatchObject({ code: 'not_found' })
    })

    test('an isolated node accepts only instances with its placement', slowTest, async ({ skip }) => {
      const { cloud } = fixture
      skip(!cloud.capabilities.placement_details)
      const made = await place({ isolated: true })
      const before = await running({ name: 'before' })
      await assign(made, 'nodes', cloud.node)
      expect(await refusal(fixture.create({ name: 'other' }))).toMatchObject({ code: 'no_valid_host' })
      // users cannot choose this placement; operators assign it, directly or through a flavor or image
      expect(await refusal(fixture.create({ name: 'self-made', traits: [made.id] }))).toMatchObject({
        ...{ code: 'validation', fields: { traits: [expect.any(String)] } },
      })
      await assign(made, 'images', fixture.image.id)
      const { id, traits } = await running({ name: 'isolated' })
      expect(traits).toEqual([made.id])
      // the owner can change other placements, but not remove this one
      expect(await cloud.compute.instances.update(cloud.member, id, { traits: [] })).toMatchObject({ traits })
      // instances already on the node stay
      expect((await settled(cloud, before.id, 'ACTIVE')).traits).toEqual([])
    })
  })
}
