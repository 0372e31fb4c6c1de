import { useState } from 'react'
import { reach, type ReachAnswer } from '@mainstay/contract/networking/reach'
import {
  DEFAULT_GROUP_NAME,
  securityGroupKind,
  securityGroups,
  type SecurityGroup,
} from '@mainstay/contract/networking/security-groups'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useParam } from '../../../nav/use-param'
import { ActionMenu } from '../../../patterns/ActionMenu'
import { ViewContent } from '../../../patterns/DrawerPage'
import { Page } from '../../../patterns/Page'
import { useDeleteActions } from '../../../patterns/resource/use-delete-actions'
import { useMay } from '../../../session/may'
import { EditIcon } from '../../../ui/icons'
import { Panel } from '../../../ui/Panel'
import { PortTable } from '../ports/PortTable'
import { ReachPanel } from '../reach/ReachPanel'
import { securityGroupResource } from './resource'
import { RulesEditor } from './RulesEditor'
import css from './security-groups.module.css'

const { paths } = securityGroupResource

/** `security-groups/{groupId}`: a group's rules and ports, next to a connectivity check. */
export default function SecurityGroupPage() {
  const t = useT('networking')
  const patterns = useT('patterns')
  const go = useAppNavigate()
  const may = useMay()
  const id = useParam('id')
  const view = useView(securityGroups.view, { id }, { kind: securityGroupKind })
  const removal = useDeleteActions(securityGroupResource, {
    note: t('securityGroups.deleteNote'),
    barredBecause: (group) =>
      group.name === DEFAULT_GROUP_NAME
        ? t('securityGroups.isDefault')
        : group.port_count > 0
          ? t('securityGroups.isUsed', { count: group.port_count })
          : undefined,
    deleted: () => go(paths.list()),
  })
  const { data } = view
  const actions = (group: SecurityGroup) => [
    ...(may(securityGroups.update.needs)
      ? [
          {
            label: t('securityGroups.edit'),
            icon: EditIcon,
            disabledBecause: group.name === DEFAULT_GROUP_NAME ? t('securityGroups.keepsName') : undefined,
            run: () => go(paths.edit(id)),
          },
        ]
      : []),
    ...removal.action(group),
  ]
  return (
    <Page
      title={<bdi>{data?.name ?? t('securityGroups.one')}</bdi>}
      aside={data && t('securityGroups.summary', { rules: data.security_group_rules.length, ports: data.port_count })}
      actions={data && <ActionMenu label={patterns('table.actionsOf', { name: data.name })} items={actions(data)} />}
    >
      <ViewContent view={view}>{(group) => <Content group={group} />}</ViewContent>
    </Page>
  )
}

function Content({ group }: { group: SecurityGroup }) {
  const t = useT('networking')
  const may = useMay()
  const [answer, setAnswer] = useState<ReachAnswer>()
  const marked = new Set(answer?.steps.flatMap(({ rule }) => (rule ? [rule.id] : [])))
  return (
    <>
      {group.description !== '' && <p>{group.description}</p>}
      <div className={css.place}>
        <div className={css.grid}>
          <RulesEditor group={group} marked={marked} />
          {may(reach.ask.needs) && <ReachPanel onAnswer={setAnswer} />}
        </div>
      </div>
      <Panel title={t('securityGroups.usedBy')} count={group.port_count} isFlush>
        <PortTable only={{ security_group: `any:${group.id}` }} hasNetwork />
      </Panel>
    </>
  )
}
