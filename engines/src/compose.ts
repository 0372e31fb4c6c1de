import { embeddedOffer } from './embedded/offer'
export { resetAdministrator } from './embedded/identity/reset-administrator'
import { checkCloudOf } from './openstack/check'
import { printableSettings, readCloudSettings, secretsOfSettings } from './openstack/configuration/cloud-settings'
import { openstackOffer } from './openstack/offer'
import { planAreas, type AreaPlan } from './plan'
import { rgwOffer } from './rgw/offer'
import { s3Offer } from './s3/offer'
import {
  allAreas,
  areaAdvice,
  cloudAreas,
  noCapabilities,
  type Area,
  type AreaCapabilities,
  type AreaPorts,
} from './ports/area-ports'
import type {
  Composed,
  ComposedEngine,
  EnginePlan,
  KindSource,
  EngineServices,
  PlannedEngine,
  RecordsAndTables,
  ServedArea,
} from './ports/engine'
import { EngineChoiceError, type CloudChoice, type CloudFinding, type EngineSettings } from './ports/engines'
import type { Log } from './ports/records'
import type { Secret } from './ports/secret'
import { unserved } from './unserved'

/**
 * Decides which engine serves each area of this installation. Throws an `EngineChoiceError` if the settings are
 * ambiguous or invalid.
 */
export function planEngines(settings: EngineSettings): EnginePlan {
  const offers = [
    ...(settings.embedded ? [embeddedOffer(settings)] : []),
    ...(settings.cloud ? [openstackOffer({ ...settings, cloud: settings.cloud })] : []),
    ...(settings.rgw ? [rgwOffer({ rgw: settings.rgw })] : []),
    ...(settings.s3 ? [s3Offer({ ...settings, s3: settings.s3 })] : []),
  ]
  const plan = planAreas(offers, settings.areas)
  const [first, ...others] = new Set(cloudAreas.map((area) => plan.areas[area]))
  const isOneEngine = first !== null && others.length === 0
  if (settings.world !== 'empty' && !isOneEngine)
    throw new EngineChoiceError([`MAINSTAY_WORLD=${settings.world} needs one engine that serves all areas`])
  return { ...plan, open: (lendTo) => openEngines(plan, lendTo) }
}

/** Returns the cloud's connection settings, without secrets. Throws an `EngineChoiceError` if they are invalid. */
export const describeCloud = (choice: CloudChoice): object => printableSettings(readCloudSettings(choice))

/**
 * Returns all secrets in the cloud's settings, so that output can be checked for leaks. Throws like `describeCloud`.
 */
export const secretsOfCloud = (choice: CloudChoice): Secret[] => secretsOfSettings(readCloudSettings(choice))

/** Checks the cloud and returns what works and what is missing. Throws an `EngineChoiceError` like `describeCloud`. */
export const checkCloud = (choice: CloudChoice, log: Log): Promise<CloudFinding[]> =>
  checkCloudOf(readCloudSettings(choice), log)

/** Opens the plan's engines without starting their feeds. Throws a user-facing error if an engine cannot be opened. */
export async function openEngines(plan: AreaPlan, lendTo: Parameters<EnginePlan['open']>[0]): Promise<Composed> {
  const doers = new Map<string, string>()
  let ports: Partial<AreaPorts> = {}
  function lentTo({ offer: { source }, kinds }: PlannedEngine): EngineServices {
    const lent = lendTo(source)
    return {
      ...lent,
      identity: () => ports.identity!,
      records: ownRows(lent.records, source, kinds),
      applyObservations: (observations) =>
        lent.applyObservations(observations.filter(({ kind }) => kinds.some((it) => it.kind === kind))),
      jobs: {
        ...lent.jobs,
        handle(name, handler) {
          const other = doers.get(name)
          if (other !== undefined && other !== source) throw new Error(`${other} and ${source} both provide ${name}`)
          doers.set(name, source)
          lent.jobs.handle(name, handler)
        },
      },
    }
  }

  const engines: ComposedEngine[] = []
  const close = async (): Promise<void> => {
    for (const engine of engines.toReversed()) await engine.close()
  }
  try {
    for (const planned of plan.engines) {
      const { offer, areas, kinds } = planned
      const area = allAreas.find((it) => areas.has(it))!
      const engine = await offer.open(areas, lentTo(planned))
      engines.push({ ...engine, area, areas, kinds, isOfThisMachine: offer.isOfThisMachine ?? false })
    }
  } catch (error) {
    await close()
    throw error
  }

  const served = (area: Area): ServedArea => {
    const engine = engines.find(({ areas }) => areas.has(area))
    if (engine?.ports[area]) return { engine, advice: null }
    return { engine: null, advice: engine?.missing[area] ?? areaAdvice(area) }
  }
  const byArea = allAreas.map((area) => [area, served(area)] as const)
  ports = Object.fromEntries(
    byArea.map(([area, { engine, advice }]) => [area, engine ? engine.ports[area] : unserved(advice)]),
  )
  const areas = Object.fromEntries(byArea) as Composed['areas']
  const differing = Object.keys(noCapabilities) as (keyof AreaCapabilities)[]
  const capabilities = Object.fromEntries(
    differing.map((area) => [area, areas[area].engine?.capabilities[area] ?? noCapabilities[area]]),
  ) as unknown as AreaCapabilities
  return {
    engines,
    ports: ports as AreaPorts,
    areas,
    capabilities,
    async open() {
      for (const engine of engines) await engine.open()
    },
    close,
  }
}

/** Wraps `records` so that an engine can write only rows of the kinds it owns. */
function ownRows(records: RecordsAndTables, source: string, kinds: readonly KindSource[]): RecordsAndTables {
  const mine = new Set(kinds.map(({ kind }) => kind))
  const refuseForeign = (kind: string): void => {
    if (!mine.has(kind)) throw new Error(`${source} is not the source of ${kind} rows, and does not write them`)
  }
  return {
    ...records,
    transaction: (work) =>
      records.transaction((tx, sql) =>
        work(
          {
            ...tx,
            async put(kind, entity) {
              refuseForeign(kind)
              await tx.put(kind, entity)
            },
            async remove(kind, id) {
              refuseForeign(kind)
              await tx.remove(kind, id)
            },
          },
          sql,
        ),
      ),
  }
}
