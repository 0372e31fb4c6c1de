import { quotas } from '@mainstay/contract/compute/quotas'
import { projectKind, projects, type Project } from '@mainstay/contract/identity/projects'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useOptionalParam, useParam } from '../../../nav/use-param'
import { DrawerPage } from '../../../patterns/DrawerPage'
import { Facts } from '../../../patterns/Facts'
import { standardFacts } from '../../../patterns/resource/standard-facts'
import { useMay } from '../../../session/may'
import { useIsAllTenants } from '../../../session/session'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { ProjectMembers } from './ProjectMembers'
import { ProjectQuotas } from './ProjectQuotas'
import { projectResource } from './resource'
import { useProjectActions } from './use-project-actions'

/** `/projects/{id}/{properties|members|quotas}`: project details, in a drawer over the list. */
export default function ProjectPage() {
  const t = useT('identity')
  const go = useAppNavigate()
  const may = useMay()
  const id = useParam('id')
  const mayMembers = may(projects.members.needs)
  const mayQuotas = may(quotas.view.needs)
  const asked = useOptionalParam('tab')
  const selected =
    (asked === 'members' && mayMembers) || (asked === 'quotas' && mayQuotas) ? asked : ('properties' as const)
  const view = useView(projects.view, { id }, { kind: projectKind })
  const { actions } = useProjectActions(() => go(projectResource.paths.list(), { keepsSearch: true }))
  return (
    <DrawerPage
      view={view}
      what={t('projects.one')}
      title={({ name }) => name}
      closeTo={projectResource.paths.list()}
      actions={actions}
      tabs={{
        selected,
        to: (tab) => projectResource.paths.below(id, tab),
        items: [
          { id: 'properties', label: t('projects.properties') },
          ...(mayMembers ? [{ id: 'members', label: t('projects.members'), count: view.data?.members_count }] : []),
          ...(mayQuotas ? [{ id: 'quotas', label: t('quotas.title') }] : []),
        ],
      }}
    >
      {(project) => {
        if (selected === 'members') return <ProjectMembers project={project} />
        return selected === 'quotas' ? <ProjectQuotas project={project} /> : <Properties project={project} />
      }}
    </DrawerPage>
  )
}

function Properties({ project }: { project: Project }) {
  const t = useT('identity')
  const patterns = useT('patterns')
  const isAllTenants = useIsAllTenants()
  const { enabled, description } = project
  return (
    <Facts
      rows={[
        [
          t('projects.status'),
          <StatusBadge key="status" tone={enabled ? 'ok' : 'idle'}>
            {t(enabled ? 'projects.enabled' : 'projects.disabled')}
          </StatusBadge>,
        ],
        [t('projects.description'), description],
        ...standardFacts(project, patterns, isAllTenants),
      ]}
    />
  )
}
