import { useId, useState } from 'react'
import { useT } from '../../i18n/use-t'
import type { MenuGroup } from '../../nav/menu'
import { MenuLink } from '../../nav/MenuLink'
import { ExpandIcon } from '../../ui/icons'
import { Drawer } from '../../ui/overlays/Drawer'
import { MenuPages } from './MenuPages'
import { useMenuPlace } from './use-menu-place'
import css from './menu.module.css'

/** The menu on phones. Groups expand in place, and the current group starts expanded. */
export default function MenuDrawer({ onClose }: { onClose: () => void }) {
  const t = useT('shell')
  const { groups, group: here, entry } = useMenuPlace()
  const [open, setOpen] = useState<readonly MenuGroup['id'][]>(here ? [here.id] : [])
  const id = useId()
  const toggle = (toggled: MenuGroup['id']) =>
    setOpen(open.includes(toggled) ? open.filter((it) => it !== toggled) : [...open, toggled])
  return (
    <Drawer isOpen isModal side="start" title={t('menu.open')} onClose={onClose}>
      <nav className={css.drawer} aria-label={t('menu.main')}>
        {groups.map((group) => {
          const { icon: GroupIcon, entries } = group
          const isOpen = open.includes(group.id)
          const isHere = group.id === here?.id
          const name = (
            <>
              <GroupIcon />
              <span className={css.label}>{t(group.label)}</span>
            </>
          )
          return entries.length === 1 ? (
            <MenuLink
              key={group.id}
              to={entries[0]!.to}
              className={css.drawerGroup}
              current={isHere ? 'page' : undefined}
              onClick={onClose}
            >
              {name}
            </MenuLink>
          ) : (
            <div key={group.id}>
              <button
                type="button"
                className={css.drawerGroup}
                aria-current={isHere ? 'true' : undefined}
                aria-expanded={isOpen}
                aria-controls={`${id}-${group.id}`}
                onClick={() => toggle(group.id)}
              >
                {name}
                <ExpandIcon />
              </button>
              <div id={`${id}-${group.id}`} hidden={!isOpen}>
                {isOpen && <MenuPages group={group} current={entry} onChoose={onClose} />}
              </div>
            </div>
          )
        })}
      </nav>
    </Drawer>
  )
}
