import type { SecurityGroup } from '@mainstay/contract/networking/security-groups'
import { DEFAULT_GROUP_NAME, securityGroups } from '@mainstay/contract/networking/security-groups'
import { securityGroupRules } from '@mainstay/contract/networking/security-group-rules'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { screens } from '../../../patterns/resource/screens'
import { columns } from '../../../patterns/table/columns'
import { useMay } from '../../../session/may'
import { EditIcon, SecurityIcon } from '../../../ui/icons'
import { Amount } from '../../../ui/values/Bytes'
import { securityGroupResource } from './resource'

const column = columns<SecurityGroup>('networking')
const { paths } = securityGroupResource

export default screens(securityGroupResource, {
  columns: [
    column.link('name', 'name', paths.view, { width: 220 }),
    column.text('description', 'description', { width: 280 }),
    column.node('rules', 'rules.title', (it) => <Amount of={it.security_group_rules.length} />, {
      isAtEnd: true,
      width: 90,
    }),
    column.number('port_count', 'securityGroups.ports', undefined, { width: 120 }),
    column.project('project_id'),
    column.domain('domain_id'),
    column.created('created_at'),
    column.updated('updated_at'),
    column.ownId(),
  ],
  filters: (t) => ['name', { name: 'project_id', label: t('project'), operator: 'in' }],
  useActions,
  deleteNote: 'securityGroups.deleteNote',
  deleteBarred: (group, t) =>
    group.name === DEFAULT_GROUP_NAME
      ? t('securityGroups.isDefault')
      : group.port_count > 0
        ? t('securityGroups.isUsed', { count: group.port_count })
        : undefined,
  facts: (group, t) => [[t('description'), group.description]],
  // the forms are separate: creating a group opens its rules, while editing one returns to the previous page
  form: null,
})

function useActions() {
  const t = useT('networking')
  const go = useAppNavigate()
  const may = useMay()
  return ({ id, name }: SecurityGroup) => [
    ...(may(securityGroupRules.create.needs)
      ? [
          {
            label: t('rules.edit'),
            icon: SecurityIcon,
            isLikely: true,
            run: () => go(paths.below(id, 'rules')),
          },
        ]
      : []),
    ...(may(securityGroups.update.needs)
      ? [
          {
            label: t('securityGroups.edit'),
            icon: EditIcon,
            disabledBecause: name === DEFAULT_GROUP_NAME ? t('securityGroups.keepsName') : undefined,
            run: () => go(paths.below(id, 'edit', 'list')),
          },
        ]
      : []),
  ]
}
