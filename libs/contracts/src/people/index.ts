// For: profiles, consent, badges, appeals, notifications.
export {
  ChangeNotificationSettings,
  NOTIFICATION_KINDS,
  NotificationKind,
  NotificationList,
  NotificationSettingsView,
  NotificationView,
  ReadNotifications,
} from './notification.js';
export {
  AccountDeleted,
  AnnotatorBoard,
  AppealList,
  AppealRequest,
  AppealView,
  BadgeList,
  type BoardName,
  ChangeProfile,
  ConsentView,
  DeleteAccount,
  type ExampleFate,
  GiveConsent,
  MyExamples,
  PersonalExport,
  type ProfilePart,
  ProfileView,
  PublicProfile,
} from './people.js';
