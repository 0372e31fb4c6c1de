import { featureCalls, features as known, type Feature, type FeatureId } from '@mainstay/contract/settings/features'
import { create } from 'zustand'
import { reportFault } from '../api/report-fault'
import { useView } from '../api/use-view'
import { useSession, type Session } from '../session/session'

/** What somebody has turned on or off for themselves, by feature. Kept in this browser. */
type Overrides = Readonly<Record<string, boolean>>

const key = 'features'

const isOverrides = (value: unknown): value is Overrides =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((isOn) => typeof isOn === 'boolean')

/** What is no JSON, or of another form, is forgotten (S1§6). */
function readOverrides(): Overrides {
  try {
    const text = localStorage.getItem(key)
    if (text === null) return {}
    const value: unknown = JSON.parse(text)
    if (isOverrides(value)) return value
  } catch {
    // as below
  }
  keepOverrides({})
  return {}
}

function keepOverrides(overrides: Overrides) {
  try {
    if (Object.keys(overrides).length === 0) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify(overrides))
  } catch {
    // refused by the browser: what was chosen lasts as long as the page
  }
}

const useOverrides = create<{ overrides: Overrides }>()(() => ({ overrides: readOverrides() }))

// another tab chose, or what was chosen went with whoever signed out
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

/** Turns a feature on or off for oneself. As the server has it, it is no choice of one's own. */
export function turnFeature({ id, enabled }: Pick<Feature, 'id' | 'enabled'>, isOn: boolean) {
  const { [id]: _, ...others } = useOverrides.getState().overrides
  setOverrides(isOn === enabled ? others : { ...others, [id]: isOn })
}

const appliesTo = (panel: Session['panel'], { metadata: { target } }: Feature) =>
  target === 'common' || panel?.panel === target

/** A line of the dialog: what it is called and what it is for stand in the catalogue, under its id. */
export type FeatureItem = Feature & { id: FeatureId; isOn: boolean }

const isKnown = (feature: Feature): feature is Feature & { id: FeatureId } => Object.hasOwn(known, feature.id)

/** The features of this panel, on or off as they are for whoever looks. Undefined before they are known. */
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

/** Whether a feature is on here. One that the server does not know is off, and the browser's console says so once (S1§6). */
export function useFeature(id: FeatureId): boolean {
  const panel = useSession((session) => session.panel)
  const { overrides } = useOverrides()
  const { data, problem } = useView(featureCalls.list, {}, { isUnscoped: true })
  const feature = data?.find((it) => it.id === id)
  if (data && !feature) tellOnce(`There is no feature ${id}`)
  // an installation may serve a file of its own there
  if (problem?.kind === 'unreadable') tellOnce('/features.json is no JSON')
  return feature !== undefined && appliesTo(panel, feature) && (overrides[id] ?? feature.enabled)
}
