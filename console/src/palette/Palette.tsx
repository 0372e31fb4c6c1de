import { useState } from 'react'
import { useT } from '../i18n/use-t'
import type { MenuGroup } from '../nav/menu'
import { Dialog } from '../ui/overlays/Dialog'
import { Tabs } from '../ui/Tabs'
import { FeatureToggles } from './FeatureToggles'
import { GoTo } from './GoTo'

interface PaletteProps {
  /** The menu with the entries that the user may see. */
  menu: readonly MenuGroup[]
  /** Returns the text typed while the palette was loading. */
  takeTyped?: () => string
  onClose: () => void
}

/** The Ctrl+K palette: search for objects, actions and pages, with a second tab for features (S1§1). */
export default function Palette({ menu, takeTyped, onClose }: PaletteProps) {
  const t = useT('palette')
  // load the instance states before the dialog opens, so that the dialog does not suspend and briefly disappear
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
