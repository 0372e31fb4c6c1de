import { useState } from 'react'
import { useT } from '../i18n/use-t'
import type { MenuGroup } from '../nav/menu'
import { Dialog } from '../ui/overlays/Dialog'
import { Tabs } from '../ui/Tabs'
import { FeatureToggles } from './FeatureToggles'
import { GoTo } from './GoTo'

interface PaletteProps {
  /** The tree of the menu, as the person sees it. */
  menu: readonly MenuGroup[]
  /** Answers what was typed before this was here. */
  takeTyped?: () => string
  onClose: () => void
}

/** Ctrl+K: everything that has a name, what can be done, the pages; and beside it the features (S1§1). */
export default function Palette({ menu, takeTyped, onClose }: PaletteProps) {
  const t = useT('palette')
  // the words for states of machines, before the dialog is there: it must not go away again to fetch them
  useT('instances')
  const [tab, setTab] = useState<'go' | 'features'>('go')
  return (
    <Dialog isOpen title={t('title')} size="normal" onClose={onClose}>
      <Tabs
        label={t('tabs')}
        items={[
          { id: 'go', label: t('go') },
          { id: 'features', label: t('features') },
        ]}
        selected={tab}
        onChange={setTab}
      >
        {tab === 'go' ? <GoTo menu={menu} takeTyped={takeTyped} onDone={onClose} /> : <FeatureToggles />}
      </Tabs>
    </Dialog>
  )
}
