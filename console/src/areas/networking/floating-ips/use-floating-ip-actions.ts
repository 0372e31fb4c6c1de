import { floatingIps } from '@mainstay/contract/networking/floating-ips'
import { ports } from '@mainstay/contract/networking/ports'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { toast } from '../../../notices/notices'
import { confirm } from '../../../patterns/dialogs/confirm'
import { useDeleteActions } from '../../../patterns/resource/use-delete-actions'
import type { RowAction } from '../../../patterns/table/row-action'
import { useMay } from '../../../session/may'
import { AttachIcon, DetachIcon, EditIcon } from '../../../ui/icons'
import { floatingIpResource, type NamedFloatingIp } from './resource'

const { paths } = floatingIpResource

/** Actions for a single floating IP and for bulk selections. */
export function useFloatingIpActions(deleted?: () => void) {
  const t = useT('networking')
  const go = useAppNavigate()
  const may = useMay()
  const refresh = [floatingIps.list, floatingIps.view, ports.list]
  const update = useCall(floatingIps.update, {
    refresh,
    done: ({ floating_ip_address: address }) => toast(t('floatingIps.unassigned', { address })),
  })
  const removal = useDeleteActions(floatingIpResource, {
    noteOfOne: ({ attachment }) =>
      attachment ? t('floatingIps.deleteUsed', { name: attachment.object_name }) : t('floatingIps.deleteNote'),
    refresh,
    deleted,
  })
  const askUnassign = ({ id, name, attachment }: NamedFloatingIp) =>
    void confirm({
      title: t('floatingIps.unassignTitle', { address: name }),
      text: t('floatingIps.unassignText', { name: attachment?.object_name ?? '' }),
      verb: t('floatingIps.unassign'),
      run: (signal) => update.run({ params: { id }, body: { port_id: null } }, { signal }),
    })
  const change = (it: NamedFloatingIp): RowAction[] => [
    {
      label: t(it.port_id === null ? 'floatingIps.assign' : 'floatingIps.reassign'),
      icon: AttachIcon,
      isLikely: it.port_id === null,
      run: () => go(paths.below(it.id, 'assign'), { keepsSearch: true }),
    },
    ...(it.port_id === null
      ? []
      : [{ label: t('floatingIps.unassign'), icon: DetachIcon, isLikely: true, run: () => askUnassign(it) }]),
    {
      label: t('floatingIps.edit'),
      icon: EditIcon,
      run: () => go(paths.edit(it.id), { keepsSearch: true }),
    },
  ]
  return {
    bulk: removal.bulk,
    actions: (it: NamedFloatingIp): RowAction[] => [
      ...(may(floatingIps.update.needs) ? change(it) : []),
      ...removal.action(it),
    ],
  }
}
