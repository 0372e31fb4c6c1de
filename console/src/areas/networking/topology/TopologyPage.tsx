import { lazy, Suspense, useMemo, useState } from 'react'
import { topology, type Topology } from '@mainstay/contract/networking/topology'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useIsNarrow } from '../../../lib/use-media'
import { Link } from '../../../nav/Link'
import { ViewContent } from '../../../patterns/DrawerPage'
import { Page } from '../../../patterns/Page'
import { buttonClass } from '../../../ui/button-class'
import { Banner } from '../../../ui/feedback/Banner'
import { EmptyState } from '../../../ui/feedback/EmptyState'
import { SearchField } from '../../../ui/fields/SearchField'
import { TopologyIcon } from '../../../ui/icons'
import { SegmentedControl } from '../../../ui/SegmentedControl'
import { reachPath } from '../reach/path'
import { ServiceBanner } from '../ServiceBanner'
import { drawTopology } from './layout'
import { TopologyTable } from './TopologyTable'
import { TopologyTree } from './TopologyTree'

import css from './topology.module.css'

const TopologyPicture = lazy(() => import('./TopologyPicture'))

const madeOf = ['network', 'subnet', 'port', 'router', 'floating_ip', 'load_balancer', 'ipsec_site_connection']

/** The network topology, as a picture and as a table. */
export default function TopologyPage() {
  const t = useT('networking')
  const view = useView(topology.view, {}, { madeOf })
  return (
    <Page
      title={t('topology.title')}
      aside={view.data && <Counts topology={view.data} />}
      actions={
        <Link to={reachPath} className={buttonClass({ variant: 'quiet' })}>
          {t('reach.title')}
        </Link>
      }
    >
      <ServiceBanner />
      <ViewContent view={view}>{(all) => <Content topology={all} />}</ViewContent>
    </Page>
  )
}

function Counts({ topology: { nodes } }: { topology: Topology }) {
  const t = useT('networking')
  const count = (kind: string) => nodes.filter((it) => it.kind === kind).length
  return (
    <>
      {t('topology.counts', {
        routers: count('router'),
        networks: count('network'),
        machines: count('instance'),
      })}
    </>
  )
}

type Look = 'both' | 'picture' | 'table'

function Content({ topology: all }: { topology: Topology }) {
  const t = useT('networking')
  const isNarrow = useIsNarrow()
  const [look, setLook] = useState<Look>('both')
  const [search, setSearch] = useState('')
  const [selected, setSelected] = useState<string | null>(null)
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const drawing = useMemo(() => drawTopology(all, opened), [all, opened])
  if (all.nodes.length === 0) return <EmptyState icon={TopologyIcon}>{t('topology.empty')}</EmptyState>

  const group = drawing.nodes.find(({ id }) => id === selected)?.group
  const isSelected = (id: string) => id === selected || (group?.members.some((it) => it.id === id) ?? false)
  const find = (text: string) => {
    setSearch(text)
    const wanted = text.trim().toLowerCase()
    if (wanted === '') return
    const node = all.nodes.find((it) =>
      [it.name, ...it.addresses, ...it.floating_ips].some((word) => word.toLowerCase().includes(wanted)),
    )
    const shown = node && drawing.nodes.find((it) => it.id === node.id || it.group?.members.includes(node))
    if (shown) setSelected(shown.id)
  }
  const toggle = (networkId: string) => {
    const next = new Set(opened)
    if (!next.delete(networkId)) next.add(networkId)
    setOpened(next)
  }
  const hasPicture = look !== 'table'
  return (
    <div className={css.page}>
      {all.truncated && <Banner tone="warn">{t('topology.truncated', { count: all.nodes.length })}</Banner>}
      <div className={css.bar}>
        <SearchField label={t('topology.find')} value={search} onChange={find} className={css.find} />
        <SegmentedControl
          label={t('rules.look')}
          value={look}
          onChange={setLook}
          items={[
            { id: 'both', label: t('topology.both') },
            { id: 'picture', label: t('topology.picture') },
            { id: 'table', label: t('rules.table') },
          ]}
        />
      </div>
      {hasPicture &&
        (isNarrow ? (
          <TopologyTree topology={all} />
        ) : (
          <>
            <Suspense fallback={<div className={css.picture} aria-busy="true" />}>
              <TopologyPicture
                drawing={drawing}
                selected={selected}
                onSelect={setSelected}
                onGroup={toggle}
                onTable={(id) => {
                  setLook('both')
                  setSelected(id)
                  document.querySelector<HTMLElement>('[data-topology-table]')?.focus()
                }}
              />
            </Suspense>
            {drawing.grouped > 0 && <p className={css.dim}>{t('topology.grouped', { count: drawing.grouped })}</p>}
          </>
        ))}
      {look !== 'picture' && (
        <TopologyTable topology={all} search={search} selected={selected} isSelected={isSelected} />
      )}
    </div>
  )
}
