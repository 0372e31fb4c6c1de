import { projectKind, projects, type Project } from '@mainstay/contract/identity/projects'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { ResourceListPage } from '../../../patterns/resource/ResourceListPage'
import { columns } from '../../../patterns/table/columns'
import { useDomainFilter } from '../use-domain-filter'
import { projectResource } from './resource'
import { useProjectActions } from './use-project-actions'

const column = columns<Project>('identity')

const shown = [
  column.link('name', 'projects.name', projectResource.paths.view),
  column.status('enabled', 'projects.status', ({ enabled }, t) =>
    enabled ? { tone: 'ok', text: t('projects.enabled') } : { tone: 'idle', text: t('projects.disabled') },
  ),
  column.number('members_count', 'projects.members', undefined, { width: 110 }),
  column.text('description', 'projects.description', { sortKey: '', width: 280 }),
  column.domain('domain_id', { isHidden: false }),
  column.created('created_at'),
  column.ownId(),
]

export default function ProjectListPage() {
  const t = useT('identity')
  const list = useList(projects.list, projectKind)
  const ofDomain = useDomainFilter()
  const { actions, bulk } = useProjectActions()
  return (
    <ResourceListPage
      resource={projectResource}
      list={list}
      columns={shown}
      actions={actions}
      bulk={bulk}
      filters={[
        ...ofDomain,
        { name: 'name', label: t('projects.name') },
        {
          name: 'enabled',
          label: t('projects.status'),
          options: [
            { value: 'true', label: t('projects.enabled') },
            { value: 'false', label: t('projects.disabled') },
          ],
        },
      ]}
    />
  )
}
