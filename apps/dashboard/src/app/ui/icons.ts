import accountCircle from '@material-symbols/svg-400/outlined/account_circle.svg';
import add from '@material-symbols/svg-400/outlined/add.svg';
import adminPanelSettings from '@material-symbols/svg-400/outlined/admin_panel_settings.svg';
import arrowBack from '@material-symbols/svg-400/outlined/arrow_back.svg';
import arrowDownward from '@material-symbols/svg-400/outlined/arrow_downward.svg';
import arrowForward from '@material-symbols/svg-400/outlined/arrow_forward.svg';
import arrowUpward from '@material-symbols/svg-400/outlined/arrow_upward.svg';
import balance from '@material-symbols/svg-400/outlined/balance.svg';
import bolt from '@material-symbols/svg-400/outlined/bolt.svg';
import check from '@material-symbols/svg-400/outlined/check.svg';
import checkCircle from '@material-symbols/svg-400/outlined/check_circle.svg';
import chevronLeft from '@material-symbols/svg-400/outlined/chevron_left.svg';
import chevronRight from '@material-symbols/svg-400/outlined/chevron_right.svg';
import close from '@material-symbols/svg-400/outlined/close.svg';
import compareArrows from '@material-symbols/svg-400/outlined/compare_arrows.svg';
import contentCopy from '@material-symbols/svg-400/outlined/content_copy.svg';
import contrast from '@material-symbols/svg-400/outlined/contrast.svg';
import darkMode from '@material-symbols/svg-400/outlined/dark_mode.svg';
import database from '@material-symbols/svg-400/outlined/database.svg';
import deleteIcon from '@material-symbols/svg-400/outlined/delete.svg';
import dns from '@material-symbols/svg-400/outlined/dns.svg';
import download from '@material-symbols/svg-400/outlined/download.svg';
import edit from '@material-symbols/svg-400/outlined/edit.svg';
import trophy from '@material-symbols/svg-400/outlined/trophy.svg';
import errorIcon from '@material-symbols/svg-400/outlined/error.svg';
import expandMore from '@material-symbols/svg-400/outlined/keyboard_arrow_down.svg';
import filterList from '@material-symbols/svg-400/outlined/filter_list.svg';
import flag from '@material-symbols/svg-400/outlined/flag.svg';
import folder from '@material-symbols/svg-400/outlined/folder.svg';
import group from '@material-symbols/svg-400/outlined/group.svg';
import help from '@material-symbols/svg-400/outlined/help.svg';
import history from '@material-symbols/svg-400/outlined/history.svg';
import image from '@material-symbols/svg-400/outlined/image.svg';
import info from '@material-symbols/svg-400/outlined/info.svg';
import key from '@material-symbols/svg-400/outlined/key.svg';
import keyboard from '@material-symbols/svg-400/outlined/keyboard.svg';
import leaderboard from '@material-symbols/svg-400/outlined/leaderboard.svg';
import lightMode from '@material-symbols/svg-400/outlined/light_mode.svg';
import localFireDepartment from '@material-symbols/svg-400/outlined/local_fire_department.svg';
import lock from '@material-symbols/svg-400/outlined/lock.svg';
import login from '@material-symbols/svg-400/outlined/login.svg';
import logout from '@material-symbols/svg-400/outlined/logout.svg';
import mail from '@material-symbols/svg-400/outlined/mail.svg';
import menu from '@material-symbols/svg-400/outlined/menu.svg';
import moreVert from '@material-symbols/svg-400/outlined/more_vert.svg';
import notifications from '@material-symbols/svg-400/outlined/notifications.svg';
import openInNew from '@material-symbols/svg-400/outlined/open_in_new.svg';
import person from '@material-symbols/svg-400/outlined/person.svg';
import playArrow from '@material-symbols/svg-400/outlined/play_arrow.svg';
import publish from '@material-symbols/svg-400/outlined/publish.svg';
import refresh from '@material-symbols/svg-400/outlined/refresh.svg';
import schedule from '@material-symbols/svg-400/outlined/schedule.svg';
import science from '@material-symbols/svg-400/outlined/science.svg';
import search from '@material-symbols/svg-400/outlined/search.svg';
import send from '@material-symbols/svg-400/outlined/send.svg';
import settings from '@material-symbols/svg-400/outlined/settings.svg';
import share from '@material-symbols/svg-400/outlined/share.svg';
import skipNext from '@material-symbols/svg-400/outlined/skip_next.svg';
import smartToy from '@material-symbols/svg-400/outlined/smart_toy.svg';
import star from '@material-symbols/svg-400/outlined/star.svg';
import stopIcon from '@material-symbols/svg-400/outlined/stop.svg';
import target from '@material-symbols/svg-400/outlined/target.svg';
import textFields from '@material-symbols/svg-400/outlined/text_fields.svg';
import tune from '@material-symbols/svg-400/outlined/tune.svg';
import undo from '@material-symbols/svg-400/outlined/undo.svg';
import upload from '@material-symbols/svg-400/outlined/upload.svg';
import viewColumn from '@material-symbols/svg-400/outlined/view_column.svg';
import visibility from '@material-symbols/svg-400/outlined/visibility.svg';
import visibilityOff from '@material-symbols/svg-400/outlined/visibility_off.svg';
import webhook from '@material-symbols/svg-400/outlined/webhook.svg';
import warning from '@material-symbols/svg-400/outlined/warning.svg';

/** Material Symbols, outlined, by their own names. */
export const ICONS = {
  account_circle: accountCircle,
  add,
  admin_panel_settings: adminPanelSettings,
  arrow_back: arrowBack,
  arrow_downward: arrowDownward,
  arrow_forward: arrowForward,
  arrow_upward: arrowUpward,
  balance,
  bolt,
  check,
  check_circle: checkCircle,
  chevron_left: chevronLeft,
  chevron_right: chevronRight,
  close,
  compare_arrows: compareArrows,
  content_copy: contentCopy,
  contrast,
  dark_mode: darkMode,
  database,
  delete: deleteIcon,
  dns,
  download,
  edit,
  trophy,
  error: errorIcon,
  expand_more: expandMore,
  filter_list: filterList,
  flag,
  folder,
  group,
  help,
  history,
  image,
  info,
  key,
  keyboard,
  leaderboard,
  light_mode: lightMode,
  local_fire_department: localFireDepartment,
  lock,
  login,
  logout,
  mail,
  menu,
  more_vert: moreVert,
  notifications,
  open_in_new: openInNew,
  person,
  play_arrow: playArrow,
  publish,
  refresh,
  schedule,
  science,
  search,
  send,
  settings,
  share,
  skip_next: skipNext,
  smart_toy: smartToy,
  star,
  stop: stopIcon,
  target,
  text_fields: textFields,
  tune,
  undo,
  upload,
  view_column: viewColumn,
  visibility,
  visibility_off: visibilityOff,
  warning,
  webhook,
} as const satisfies Readonly<Record<string, string>>;

export type IconName = keyof typeof ICONS;
