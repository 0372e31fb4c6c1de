import { WHOLE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { diskKind, disks, type Disk } from '@mainstay/contract/infrastructure/disks'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { useList } from '../../../../api/use-list'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { CellNote, SmallTable } from '../../../../patterns/table/SmallTable'
import type { Tone } from '../../../../ui/tone'
import { Bytes } from '../../../../ui/values/Bytes'
import { Mono } from '../../../../ui/values/Mono'
import { StatusBadge } from '../../../../ui/values/StatusBadge'
import { LoadBar } from '../LoadBar'
import { readAtOf } from '../node-load'
import { RowsOf } from './RowsOf'
import css from '../nodes.module.css'

const smartTones: Readonly<Record<Disk['smart_status'], Tone>> = { passed: 'ok', failed: 'bad', unknown: 'idle' }
const statusTones: Readonly<Record<Disk['disk_status'], Tone>> = {
  ok: 'ok',
  failed: 'bad',
  unavail: 'idle',
  releasing: 'busy',
}

/** Lists the disks of a node, as the node reports them. The list is read-only. */
export default function NodeDisks({ node }: { node: Node }) {
  const t = useT('nodes')
  const format = useFormat()
  const list = useList(disks.list, diskKind, { params: { node_id: node.id }, stateIn: 'memory', limit: WHOLE_LIMIT })
  return (
    <RowsOf list={list}>
      <SmallTable
        label={t('disks')}
        rows={list.rows}
        keyOf={({ id }) => id}
        isStacked
        empty={t(node.link.by === 'engine' ? 'disks.notRead' : 'disks.none')}
        columns={[
          {
            id: 'device',
            label: t('disk'),
            render: ({ device, model }) => (
              <>
                <Mono>{device}</Mono>
                {model !== null && <CellNote>{model}</CellNote>}
              </>
            ),
          },
          { id: 'size', label: t('size'), isAtEnd: true, render: ({ physical_size }) => <Bytes of={physical_size} /> },
          { id: 'type', label: t('type'), render: ({ type }) => t(`diskType.${type}`) },
          { id: 'role', label: t('diskRole'), isWide: true, render: ({ role }) => t(`diskRole.${role}`) },
          {
            id: 'used',
            label: t('used'),
            render: ({ space: { used, size } }) =>
              used === null || size === 0 ? '–' : <LoadBar share={used / size} readAt={readAtOf(node)} />,
          },
          {
            id: 'health',
            label: t('health'),
            render: (disk) => (
              <StatusBadge tone={smartTones[disk.smart_status]}>{t(`smart.${disk.smart_status}`)}</StatusBadge>
            ),
          },
          {
            id: 'status',
            label: t('status'),
            render: ({ disk_status }) => (
              <StatusBadge tone={statusTones[disk_status]}>{t(`diskStatus.${disk_status}`)}</StatusBadge>
            ),
          },
          {
            id: 'temperature',
            label: t('temperature'),
            isAtEnd: true,
            render: ({ temperature }) =>
              temperature === null ? '–' : format.number(temperature, { style: 'unit', unit: 'celsius' }),
          },
          {
            id: 'holders',
            label: t('holders'),
            isWide: true,
            render: ({ holders }) => (holders.length === 0 ? t('unused') : <bdi>{holders.join(', ')}</bdi>),
          },
          {
            id: 'serial',
            label: t('serial'),
            isWide: true,
            render: ({ serial_number }) => (serial_number === null ? '–' : <Mono>{serial_number}</Mono>),
          },
        ]}
      />
      {list.rows.some(({ smart_status }) => smart_status === 'unknown') && (
        <p className={css.dim}>{t('smart.unknownHelp')}</p>
      )}
    </RowsOf>
  )
}
