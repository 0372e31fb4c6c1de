import { CHOICE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { projectKind, projects, type Project } from '@mainstay/contract/identity/projects'
import { useList } from '../api/use-list'
import { useT } from '../i18n/use-t'
import { PickTable } from './PickTable'

interface ProjectPickerProps {
  chosen: readonly string[]
  onChoose: (project: Project, isChosen: boolean) => void
  disabledBecause?: ((project: Project) => string | undefined) | undefined
  domainId: string
}

/** Projects in a domain. */
export function ProjectPicker({ domainId: domain_id, ...props }: ProjectPickerProps) {
  const t = useT('identity')
  const list = useList(projects.list, projectKind, { params: { domain_id }, stateIn: 'memory', limit: CHOICE_LIMIT })
  return (
    <PickTable
      {...props}
      isMultiple
      label={t('projects.title')}
      list={list}
      empty={t('users.noProjectsYet')}
      columns={[
        { id: 'name', label: t('projects.name'), render: ({ name }) => name },
        { id: 'description', label: t('projects.description'), isWide: true, render: ({ description }) => description },
      ]}
    />
  )
}
