import { useState } from 'react'
import { SavedViewDraft, savedViews, type SavedView } from '@mainstay/contract/core/lists/saved-views'
import { problemText } from '../../api/problem-text'
import { useCall } from '../../api/use-call'
import type { List } from '../../api/use-list'
import { useView } from '../../api/use-view'
import { useRuleText } from '../../i18n/said'
import { useT } from '../../i18n/use-t'
import { Banner } from '../../ui/feedback/Banner'
import { Button } from '../../ui/Button'
import { TextField } from '../../ui/fields/TextField'
import { IconButton } from '../../ui/IconButton'
import { DeleteIcon } from '../../ui/icons'
import { Dialog } from '../../ui/overlays/Dialog'
import css from './SavedViews.module.css'

type ViewedList = Pick<List, 'kind' | 'filters' | 'search' | 'sort' | 'groupBy' | 'setFilters'>

/** Returns the state of a list in the form in which a view stores it. */
const queryOf = ({ filters, search, sort, groupBy }: ViewedList): Record<string, string> => ({
  ...filters,
  ...(search && { search }),
  sort: `${sort.key}:${sort.direction}`,
  ...(groupBy && { groupBy }),
})

function show({ kind, setFilters }: ViewedList, { query: { search = '', sort, groupBy, ...filters } }: SavedView) {
  const none = Object.fromEntries(Object.keys(kind.filters).map((name) => [name, null]))
  setFilters({ ...none, ...filters, sort: sort ?? null, groupBy: groupBy ?? null }, search)
}

/** The user's saved views of a list: actions to show, delete and save them. */
export function SavedViews({ list, onClose }: { list: ViewedList; onClose: () => void }) {
  const t = useT('savedViews')
  const shell = useT('shell')
  const [name, setName] = useState('')
  const [fault, setFault] = useState<string>()
  const said = useRuleText(fault)
  const kind = list.kind.name
  const views = useView(savedViews.ofList, {}, { query: { kind } })
  const save = useCall(savedViews.save, { refresh: [savedViews.ofList], done: () => setName('') })
  const remove = useCall(savedViews.remove, { refresh: [savedViews.ofList] })
  function submit() {
    const named = SavedViewDraft.shape.name.safeParse(name)
    setFault(named.error?.issues[0]?.message)
    if (named.success) save.start({ body: { kind, name: named.data, query: queryOf(list) } })
  }
  const problem = save.problem ?? remove.problem ?? views.problem
  return (
    <Dialog isOpen size="normal" title={t('title')} onClose={onClose}>
      <div className={css.parts}>
        <p className={css.quiet}>{t('note')}</p>
        {problem && <Banner tone="warn">{problemText(problem, shell)}</Banner>}
        {views.data?.data.length === 0 && <p>{t('none')}</p>}
        <ul className={css.views}>
          {views.data?.data.map((view) => (
            <li key={view.id} className={css.view}>
              <Button
                variant="plain"
                onPress={() => {
                  show(list, view)
                  onClose()
                }}
              >
                {view.name}
              </Button>
              <IconButton
                icon={DeleteIcon}
                label={t('forget', { name: view.name })}
                onPress={() => remove.start({ params: { id: view.id } })}
              />
            </li>
          ))}
        </ul>
        <form
          className={css.form}
          aria-label={t('saveNow')}
          onSubmit={(event) => {
            event.preventDefault()
            submit()
          }}
        >
          <TextField
            label={t('name')}
            value={name}
            error={said}
            onChange={(text) => {
              setName(text)
              setFault(undefined)
            }}
          />
          <Button type="submit" isBusy={save.isPending}>
            {t('save')}
          </Button>
        </form>
      </div>
    </Dialog>
  )
}
