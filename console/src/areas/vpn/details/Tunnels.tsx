import { connectionKind, ipsecSiteConnections, type IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { SmallTable } from '../../../patterns/table/SmallTable'
import { Panel } from '../../../ui/Panel'
import { Bytes } from '../../../ui/values/Bytes'
import { Mono } from '../../../ui/values/Mono'
import { Time } from '../../../ui/values/Time'
import css from '../vpn.module.css'

/** Polling interval, needed because traffic counters do not send events. */
const ASK_AGAIN_MS = 10_000

/** Current traffic for each pair of ranges, and when its tunnel was established. */
export function Tunnels({ connection: { id, status } }: { connection: IpsecSiteConnection }) {
  const t = useT('vpn')
  const isUp = status === 'ACTIVE'
  const { data } = useView(ipsecSiteConnections.stats, { id }, { kind: connectionKind, everyMs: ASK_AGAIN_MS })
  if (!data) return null
  return (
    <Panel title={t('pairs.title')} count={data.tunnels.length}>
      <SmallTable
        label={t('pairs.title')}
        rows={isUp ? data.tunnels : []}
        keyOf={({ local, remote }) => `${local.join()} ${remote.join()}`}
        empty={t('pairs.none')}
        columns={[
          { id: 'local', label: t('side.ours'), render: ({ local }) => <Lines of={local} /> },
          { id: 'remote', label: t('side.theirs'), render: ({ remote }) => <Lines of={remote} /> },
          { id: 'in', label: t('received'), render: (it) => <Bytes of={it.bytes_in} />, isAtEnd: true },
          { id: 'out', label: t('sent'), render: (it) => <Bytes of={it.bytes_out} />, isAtEnd: true },
          { id: 'since', label: t('since'), render: (it) => <Time at={it.installed_at} />, isWide: true },
          {
            ...{ id: 'rekey', label: t('pairs.rekey'), isWide: true },
            render: ({ rekey_at: at }) => (at === null ? '–' : <Time at={at} />),
          },
        ]}
      />
    </Panel>
  )
}

const Lines = ({ of: ranges }: { of: readonly string[] }) => (
  <span className={css.lines}>
    {ranges.map((it) => (
      <Mono key={it}>{it}</Mono>
    ))}
  </span>
)
