import { locationKind, locations } from '@mainstay/contract/infrastructure/locations'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { useView } from '../../../../api/use-view'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { Link } from '../../../../nav/Link'
import { Facts } from '../../../../patterns/Facts'
import { useMay } from '../../../../session/may'
import { Panel } from '../../../../ui/Panel'
import { CopyableCode } from '../../../../ui/values/CopyableCode'
import { StatusBadge } from '../../../../ui/values/StatusBadge'
import { Time } from '../../../../ui/values/Time'

/** Clock offset in ms above which a problem is shown, because tokens and certificates depend on the time. */
const LARGE_OFFSET_MS = 5_000

/** Shows how a node is connected (link, permissions, host key, clock) and where it is located. */
export function Connection({ node }: { node: Node }) {
  const t = useT('nodes')
  const isReadable = useMay()(locations.tree.needs)
  const { data: tree } = useView(locations.tree, {}, { madeOf: [locationKind.name], isEnabled: isReadable })
  const names = new Map(tree?.locations.map(({ id, name }) => [id, name]))
  const { link, seen_at, created_at, orig_hostname, host } = node
  const { by, address, port, rights, host_key } = link
  return (
    <Panel title={t('connection')}>
      <Facts
        rows={[
          [t('reachedBy'), t(`reachedBy.${by}`)],
          address !== null && [
            t('sshAddress'),
            <CopyableCode key="address">
              {port === null ? address : address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`}
            </CopyableCode>,
          ],
          [t('rights'), rights && t(`rights.${rights}`)],
          host_key !== null && [t('hostKey'), <CopyableCode key="key">{host_key}</CopyableCode>],
          by !== 'engine' && [t('clock'), <Clock key="clock" node={node} />],
          [t('seenAt'), seen_at && <Time at={seen_at} show="both" />],
          [t('registered'), <Time key="registered" at={created_at} show="both" />],
          orig_hostname !== host && [t('origHostname'), orig_hostname],
          ...placesOf(node).map(
            ([level, place]) => [t(level), <Place key={level} id={place} name={names.get(place)} />] as const,
          ),
          [t('id'), <CopyableCode key="id">{node.id}</CopyableCode>],
        ]}
      />
    </Panel>
  )
}

/** Returns the location IDs of a node, from the largest location to the smallest. */
const placesOf = ({ roomId, rowId, rackId }: Node) =>
  [
    ['room', roomId],
    ['row', rowId],
    ['rack', rackId],
  ] as const

/** Name of a room, row or rack, linked to the location tree. */
const Place = ({ id, name }: { id: string; name: string | undefined }) =>
  name === undefined ? <CopyableCode>{id}</CopyableCode> : <Link to="/infrastructure/locations">{name}</Link>

function Clock({ node: { clock_offset_ms, clock_synchronized } }: { node: Node }) {
  const t = useT('nodes')
  const format = useFormat()
  if (clock_offset_ms === null) return t('unknown')
  const isOff = Math.abs(clock_offset_ms) >= LARGE_OFFSET_MS
  const offset = isOff
    ? t('clock.off', { time: format.duration(Math.abs(clock_offset_ms)) })
    : t('clock.ms', { count: format.number(Math.round(Math.abs(clock_offset_ms))) })
  const synchronized =
    clock_synchronized === null ? null : t(clock_synchronized ? 'clock.synchronized' : 'clock.notSynchronized')
  return (
    <StatusBadge tone={isOff || clock_synchronized === false ? 'warn' : 'ok'} detail={synchronized ?? undefined}>
      {offset}
    </StatusBadge>
  )
}
