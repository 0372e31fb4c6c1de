import { projects, type Project, type ProjectContents } from '@mainstay/contract/identity/projects'
import { call } from '../../../api/call'
import type { Key } from '../../../i18n/catalogues'
import { textsNow, useT } from '../../../i18n/use-t'
import { confirm } from '../../../patterns/dialogs/confirm'
import { confirmDelete } from '../../../patterns/dialogs/confirm-delete'
import css from './delete-project.module.css'

type Run = (project: Project, signal: AbortSignal) => Promise<unknown>

/** Resource types that are listed separately. All other objects are counted together. */
const words: Readonly<Record<string, Key<'identity'>>> = {
  instances: 'contents.instances',
  volumes: 'contents.volumes',
  images: 'contents.images',
  networks: 'contents.networks',
  serverGroups: 'contents.serverGroups',
}

/**
 * Asks for confirmation before deleting a project. If the project is not empty, the user has to type its name, and
 * `removeAll` deletes it together with its contents. Resolves to true if the project was deleted.
 */
export async function confirmDeleteProject(
  project: Project,
  { note, remove, removeAll }: { note: string; remove: Run; removeAll: Run },
): Promise<boolean> {
  const t = textsNow('identity')
  // if the contents cannot be loaded, the server still refuses to delete a project that is not empty
  const contents = await call(projects.contents, { params: { id: project.id } }).catch(() => null)
  const { name } = project
  if (!contents || Object.keys(contents.counts).length === 0)
    return confirmDelete({
      title: t('projects.deleteOne', { name }),
      verb: t('projects.deleteOneVerb'),
      text: note,
      run: (signal) => remove(project, signal),
    })
  return confirm({
    title: t('projects.deleteAllTitle', { name }),
    verb: t('projects.deleteAll'),
    isDanger: true,
    text: <Contents contents={contents} />,
    typed: name,
    disabledBecause: contents.locked > 0 ? t('contents.locked', { count: contents.locked }) : undefined,
    run: (signal) => removeAll(project, signal),
  })
}

function Contents({ contents: { counts, locked } }: { contents: ProjectContents }) {
  const t = useT('identity')
  const others = Object.entries(counts).reduce((sum, [of, count]) => (of in words ? sum : sum + count), 0)
  return (
    <div className={css.contents}>
      <p>{t('contents.intro')}</p>
      <ul>
        {Object.entries(words).map(
          ([of, word]) => (counts[of] ?? 0) > 0 && <li key={of}>{t(word, { count: counts[of]! })}</li>,
        )}
        {others > 0 && <li>{t('contents.others', { count: others })}</li>}
      </ul>
      <p>{locked > 0 ? t('contents.locked', { count: locked }) : t('contents.forEver')}</p>
    </div>
  )
}
