import { featureCalls, features as known, type Feature, type FeatureId } from '@mainstay/contract/settings/features'
import { create } from 'zustand'
import { reportFault } from '../api/report-fault'
import { useView } from '../api/use-view'
import { useSession, type Session } from '../session/session'

/** The user’s feature overrides, keyed by feature ID, stored in this browser. */
type Overrides = Readonly<Record<string, boolean>>

const key = 'features'

const isOverrides = (value: unknown): value is Overrides =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((isOn) => typeof isOn === 'boolean')

/** Discards stored values that are not valid JSON or have the wrong shape (S1§6). */
function readOverrides(): Overrides {
  try {
    const text = localStorage.getItem(key)
    if (text === null) return {}
    const value: unknown = JSON.parse(text)
    if (isOverrides(value)) return value
  } catch {
    // invalid stored values are replaced below
  }
  keepOverrides({})
  return {}
}

function keepOverrides(overrides: Overrides) {
  try {
    if (Object.keys(overrides).length === 0) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify(overrides))
  } catch {
    // the browser blocks storage: the overrides last until the page is closed
  }
}

const useOverrides = create<{ overrides: Overrides }>()(() => ({ overrides: readOverrides() }))

// the overrides were changed in another tab, or cleared when the user signed out
addEventListener('storage', (event) => {
  if (event.key === key) useOverrides.setState({ overrides: readOverrides() })
})
useSession.subscribe(({ user }, before) => {
  if (user?.id !== before.user?.id) useOverrides.setState({ overrides: readOverrides() })
})

function setOverrides(overrides: Overrides) {
  keepOverrides(overrides)
  useOverrides.setState({ overrides })
}

export const resetFeatures = () => setOverrides({})

/** Overrides a feature in this browser. A value equal to the server value removes the override. */
export function turnFeature({ id, enabled }: Pick<Feature, 'id' | 'enabled'>, isOn: boolean) {
  const { [id]: _, ...others } = useOverrides.getState().overrides
  setOverrides(isOn === enabled ? others : { ...others, [id]: isOn })
}

const appliesTo = (panel: Session['panel'], { metadata: { target } }: Feature) =>
  target === 'common' || panel?.panel === target

/** An entry in the features dialog. Its name and description are in the catalogue under its ID. */
export type FeatureItem = Feature & { id: FeatureId; isOn: boolean }

const isKnown = (feature: Feature): feature is Feature & { id: FeatureId } => Object.hasOwn(known, feature.id)

/** The features of this panel with their effective state; undefined while loading. */
export function useFeatures(): { items: FeatureItem[] | undefined; isChanged: boolean } {
  const panel = useSession((session) => session.panel)
  const { overrides } = useOverrides()
  const { data } = useView(featureCalls.list, {}, { isUnscoped: true })
  const items = data
    ?.filter(isKnown)
    .filter((feature) => appliesTo(panel, feature))
    .map((feature) => ({ ...feature, isOn: overrides[feature.id] ?? feature.enabled }))
  return { items, isChanged: items?.some(({ id }) => overrides[id] !== undefined) ?? false }
}

const told = new Set<string>()
function tellOnce(fault: string) {
  if (told.has(fault)) return
  told.add(fault)
  reportFault(fault)
}

/** Whether a feature is enabled here. A feature unknown to the server is disabled and logged once (S1§6). */
export function useFeature(id: FeatureId): boolean {
  const panel = useSession((session) => session.panel)
  const { overrides } = useOverrides()
  const { data, problem } = useView(featureCalls.list, {}, { isUnscoped: true })
  const feature = data?.find((it) => it.id === id)
  if (data && !feature) tellOnce(`There is no feature ${id}`)
  // an installation may serve its own file at this path
  if (problem?.kind === 'unreadable') tellOnce('/features.json is no JSON')
  return feature !== undefined && appliesTo(panel, feature) && (overrides[id] ?? feature.enabled)
}
