import { randomUUID } from 'node:crypto'
import { examplesOf, kindsIn } from '@mainstay/contract/core/example'
import { grantsAllow } from '@mainstay/contract/core/abilities'
import { grantsOf } from '@mainstay/contract/permissions'
import { resourceList, type Resource } from '@mainstay/contract/resources'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { areaOfKind, areaTitle, cloudAreas } from '../ports/area-ports'
import type { AnyPlainPort } from '../ports/plain'
import type { Entity } from '../ports/records'
import type { ProjectScope } from '../ports/scope'
import { refusal, suiteOf, type CloudUnderTest, type StartCloud } from './cloud'

/** Values that a new row has in addition to its draft. */
const newOnes: Record<string, object> = { flavors: { is_public: true } }

/**
 * Whether a resource can be created and deleted synchronously from its contract example, without a task or other
 * objects.
 */
const isMadeAtOnce = ({ calls: { create, delete: remove } }: Resource): boolean =>
  create?.status === 201 &&
  remove !== undefined &&
  remove.status !== 202 &&
  examplesOf(create.body).some((it) => kindsIn(it).length === 0)

/** Only kinds that belong to projects. Domains, projects and users are owned by a domain and have their own suite. */
const kindsMadeAtOnce = resourceList.flatMap(([name, resource]) => {
  const { kind, calls } = resource
  const area = kind && areaOfKind.get(kind.name)
  return kind && area && area !== 'identity' && isMadeAtOnce(resource) ? [{ name, area, kind, calls }] : []
})
type MadeAtOnce = (typeof kindsMadeAtOnce)[number]

/** Returns the resource of a kind's parent, or undefined if the kind has no parent. */
const parentOf = ({ kind: { parent } }: Pick<MadeAtOnce, 'kind'>) =>
  parent && kindsMadeAtOnce.find(({ kind }) => kind.name === parent.kind.name)

/** Conformance tests for plain kinds, derived from their declarations. */
export function describePlainKinds(start: StartCloud): void {
  describe(suiteOf('plain kinds'), () => {
    let cloud: CloudUnderTest
    beforeAll(async () => {
      cloud = await start()
    }, 300_000)
    afterAll(() => cloud.close(), 300_000)

    const tested = kindsMadeAtOnce.filter((it) => !it.kind.parent || parentOf(it))
    describe.each(tested)('$name', ({ name, area, kind, calls }) => {
      const { body, needs } = calls['create']!
      const member = grantsOf(['project_member'], 'project')
      const isOfTenants = typeof needs === 'object' && grantsAllow(member, needs.resource, needs.ability)
      const portOf = (of: Pick<MadeAtOnce, 'name' | 'area'>) => {
        const ofArea: object = cloud[of.area] ?? {}
        return (ofArea as Record<string, AnyPlainPort>)[of.name]!
      }
      const port = () => portOf({ name, area })
      const isMissing = () => {
        const ofArea = cloud[area]
        if (!ofArea) return true
        // network rows exist even if networking is simulated
        return !cloudAreas.includes(area) && 'unavailable' in ofArea && ofArea.unavailable() !== null
      }
      beforeEach(({ skip }) => skip(isMissing(), `this engine has no ${areaTitle(area)}`))
      const owner = () => (isOfTenants ? cloud.member : cloud.operator)
      /** Returns the contract example with a unique name. */
      const newDraft = (schema = body) => {
        const example = examplesOf(schema).find((it) => kindsIn(it).length === 0)!
        const unique = `${String(example['name'])}_${randomUUID().slice(0, 8).toUpperCase()}`
        return schema!.parse({ ...example, name: unique })
      }
      /** The parent ID that commands take; empty if the kind has no parent. */
      let place: string[] = []
      const makeParents = async (of: Pick<MadeAtOnce, 'kind'>, scope: ProjectScope): Promise<string[]> => {
        const parent = parentOf(of)
        if (!parent) return []
        const above = await makeParents(parent, scope)
        const draft = newDraft(parent.calls['create']!.body)
        return [((await portOf(parent).create(scope, ...above.slice(-1), draft)) as Entity).id]
      }
      beforeEach(async () => {
        place = await makeParents({ kind }, owner())
      })

      const make = async (draft: unknown, scope = owner()) => {
        const at = scope === owner() ? place : await makeParents({ kind }, scope)
        return (await port().create(scope, ...at, draft)) as Entity
      }
      /** Returns the IDs that identify a row in commands: the parent's ID, if any, and its own. */
      const placeOf = (made: Entity): string[] => [...(kind.parent ? [made[kind.parent.field] as string] : []), made.id]

      test('creates, lists and deletes a row', async () => {
        const draft = newDraft()
        const made = await make(draft)
        expect(kind.entity.parse(made)).toEqual(made)
        expect(made).toMatchObject({ ...(draft as object), ...newOnes[name] })
        expect(await cloud.row(kind.name, made.id)).toEqual(made)
        if (isOfTenants) {
          const { user_id } = cloud.member
          expect(made).toMatchObject('user_id' in kind.entity.shape ? { user_id } : {})
          expect(await refusal(port().delete(cloud.stranger, ...placeOf(made)))).toMatchObject({ code: 'not_found' })
          expect(await cloud.row(kind.name, made.id)).toEqual(made)
        }
        await port().delete(owner(), ...placeOf(made))
        expect(await cloud.row(kind.name, made.id)).toBeNull()
        expect(await refusal(port().delete(owner(), ...placeOf(made)))).toMatchObject({ code: 'not_found' })
      })

      test('refuses a duplicate name if the kind requires unique names', async () => {
        const draft = newDraft()
        const made = await make(draft)
        const again = make(draft)
        if (kind.hasUniqueName) {
          const fields = { name: [expect.any(String)] }
          expect(await refusal(again)).toMatchObject({ code: 'duplicate_name', fields })
        } else await port().delete(owner(), ...placeOf(await again))
        // another project can use the same name
        if (isOfTenants) {
          const other = await make(draft, cloud.stranger)
          await port().delete(cloud.stranger, ...placeOf(other))
        }
        await port().delete(owner(), ...placeOf(made))
      })

      if (kind.parent)
        test('refuses an unknown parent, and does not find a row under another parent', async () => {
          expect(await refusal(port().create(owner(), 'no-such-id', newDraft()))).toMatchObject({ code: 'not_found' })
          const made = await make(newDraft())
          const [elsewhere] = await makeParents({ kind }, owner())
          expect(await refusal(port().delete(owner(), elsewhere!, made.id))).toMatchObject({ code: 'not_found' })
          expect(await cloud.row(kind.name, made.id)).toEqual(made)
          await port().delete(owner(), ...placeOf(made))
        })

      const { update } = calls
      if (update)
        test('changes a row if the engine supports it, and refuses unknown rows', async () => {
          const [change] = examplesOf(update.body)
          const made = await make(newDraft())
          const changed = await port()
            .update(owner(), ...placeOf(made), change)
            .catch((error: unknown) => {
              expect(error).toMatchObject({ code: 'unsupported' })
              return made
            })
          const at = 'updated_at' in made ? { updated_at: expect.any(String) } : {}
          if (changed !== made) expect(changed).toEqual({ ...made, ...change, ...at })
          expect(await cloud.row(kind.name, made.id)).toEqual(changed)
          if (isOfTenants)
            expect(await refusal(port().update(cloud.stranger, ...placeOf(made), change))).toMatchObject({
              code: 'not_found',
            })
          expect(await refusal(port().update(owner(), ...place, 'no-such-id', change))).toMatchObject({
            code: 'not_found',
          })
          await port().delete(owner(), ...placeOf(made))
        })
    })
  })
}
