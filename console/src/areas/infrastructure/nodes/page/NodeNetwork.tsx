import { WHOLE_LIMIT } from '@mainstay/contract/core/lists/paging'
import {
  nodeInterfaceKind,
  nodeInterfaces,
  SLOW_BELOW,
  type NodeInterface,
} from '@mainstay/contract/infrastructure/interfaces'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { useList } from '../../../../api/use-list'
import { useFormat, type Formats } from '../../../../i18n/use-format'
import { useT, type Translate } from '../../../../i18n/use-t'
import { CellNote, SmallTable } from '../../../../patterns/table/SmallTable'
import type { Tone } from '../../../../ui/tone'
import { Mono } from '../../../../ui/values/Mono'
import { StatusBadge } from '../../../../ui/values/StatusBadge'
import css from '../nodes.module.css'
import { RowsOf } from './RowsOf'

const tones: Readonly<Record<NodeInterface['status'], Tone>> = {
  ok: 'ok',
  disabled: 'idle',
  unplugged: 'warn',
  warning: 'warn',
}

/** Lists the network interfaces of a node, as the node reports them. */
export default function NodeNetwork({ node }: { node: Node }) {
  const t = useT('nodes')
  const format = useFormat()
  const list = useList(nodeInterfaces.list, nodeInterfaceKind, {
    ...{ params: { node_id: node.id }, stateIn: 'memory', limit: WHOLE_LIMIT },
  })
  return (
    <RowsOf list={list}>
      <SmallTable
        label={t('interfaces')}
        rows={list.rows}
        keyOf={({ id }) => id}
        isStacked
        empty={t(node.link.by === 'engine' ? 'interfaces.notRead' : 'interfaces.none')}
        columns={[
          {
            id: 'name',
            label: t('name'),
            render: (it) => (
              <>
                <Mono>{it.name}</Mono>
                <CellNote>{typeText(it, t)}</CellNote>
              </>
            ),
          },
          {
            id: 'status',
            label: t('status'),
            render: (it) => <StatusBadge tone={tones[it.status]}>{statusText(it, t)}</StatusBadge>,
          },
          { id: 'speed', label: t('speed'), isAtEnd: true, render: ({ speed }) => speedText(speed, format) },
          {
            id: 'addresses',
            label: t('addresses'),
            render: ({ ipv4, ipv6 }) => (ipv4.length + ipv6.length === 0 ? '–' : <Lines values={[...ipv4, ...ipv6]} />),
          },
          {
            id: 'gateway',
            label: t('gateway'),
            isWide: true,
            render: ({ gw4, gw6 }) => {
              const gateways = [gw4, gw6].filter((it) => it !== null)
              return gateways.length === 0 ? '–' : <Lines values={gateways} />
            },
          },
          { id: 'mtu', label: t('mtu'), isAtEnd: true, isWide: true, render: ({ mtu }) => format.number(mtu) },
          { id: 'mac', label: t('mac'), isWide: true, render: ({ mac }) => (mac === null ? '–' : <Mono>{mac}</Mono>) },
          {
            id: 'neighbor',
            label: t('neighbor'),
            render: ({ neighbor }) => (neighbor === null ? '–' : t('neighborText', neighbor)),
          },
        ]}
      />
    </RowsOf>
  )
}

const Lines = ({ values }: { values: readonly string[] }) => (
  <span className={css.lines}>
    {values.map((it) => (
      <Mono key={it}>{it}</Mono>
    ))}
  </span>
)

/** Describes an interface: its type with VLAN tag, bonding mode and members. */
function typeText({ type, tag, bond_type, ifaces }: NodeInterface, t: Translate<'nodes'>): string {
  const details = [tag === null ? null : t('vlanTag', { tag }), bond_type, ifaces.join(', ')].filter(Boolean)
  const name = t(`interfaceType.${type}`)
  return details.length === 0 ? name : t('interfaceType.with', { type: name, details: details.join(' · ') })
}

function statusText({ status, speed, duplex }: NodeInterface, t: Translate<'nodes'>): string {
  if (status !== 'warning') return t(`interfaceStatus.${status}`)
  return t(
    duplex === 'half' && (speed === null || speed >= SLOW_BELOW) ? 'interfaceStatus.half' : 'interfaceStatus.slow',
  )
}

/** Formats the speed of an interface in Mb/s: 1000 becomes "1 Gb/s". */
const speedText = (speed: number | null, format: Formats): string =>
  speed === null ? '–' : speed >= 1000 ? `${format.number(speed / 1000)} Gb/s` : `${format.number(speed)} Mb/s`
